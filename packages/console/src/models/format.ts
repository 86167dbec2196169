import type { FieldDisplay } from '@pergola/api'

/** Limits the decimals, to hide binary rounding errors. */
const mostDigits = 4

export function formatNumber(value: number, language: string, display: FieldDisplay = {}): string {
  const digits = display.as === 'currency' ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : {}
  return value.toLocaleString(language, { maximumFractionDigits: mostDigits, ...digits })
}

export interface Unit {
  readonly before: string
  readonly after: string
}

export function unitOf({ unit, as }: FieldDisplay = {}): Unit {
  if (unit === undefined) return { before: '', after: as === 'percent' ? '%' : '' }
  if (typeof unit === 'string') return { before: '', after: unit }
  return { before: '', after: '', ...unit }
}

/** Dates as `24 Nov 2026`, in Chinese `2026-11-24`. */
export function formatDate(value: string, language: string, hasTime: boolean): string {
  const time = new Date(hasTime ? value : `${value}T00:00:00`)
  if (Number.isNaN(time.getTime())) return value
  const day =
    language === 'zh'
      ? [time.getFullYear(), time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
      : time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
  if (!hasTime) return day
  return `${day}${language === 'zh' ? ' ' : ', '}${time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`
}

/** `toApprove` and `to-approve` as `To approve`; text with spaces stays unchanged. */
export function valueWords(value: string): string {
  if (/\s/.test(value) || !/^[\w.-]+$/.test(value)) return value
  const words = value.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[-_]+/g, ' ')
  const isShouted = words === words.toUpperCase()
  return isShouted ? words : words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}
