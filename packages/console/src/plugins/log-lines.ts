type LogLevel = 'info' | 'warn' | 'error' | 'host'

export interface LogEntry {
  readonly time: string | undefined
  readonly level: LogLevel
  readonly text: string
}

const hostMark = 'pergola: '
const words: readonly (readonly [LogLevel, RegExp])[] = [
  [
    'error',
    /^\W*(error|fatal|uncaught|unhandled)\b|^\w*(Error|Exception)\b[^\n]*:|\b(level|severity)["=: ]+(error|fatal)\b/i,
  ],
  ['warn', /^\W*warn(ing)?\b|^\(node:\d+\) \w*Warning|\b(level|severity)["=: ]+warn(ing)?\b/i],
]
/** Numeric levels, as of pino: 40 is a warning, 50 and above an error. */
const numbered = /"level":\s*(\d+)/

/** Lines of a printed error: source position, marked line, stack. */
const continued = /^\s+at |^\s*\^|^(file:|\/)\S+:\d+$|^\s+throw |^Node\.js v/

/**
 * Parses log lines into entries. The host stores plain text, so the level is read from the line; a printed error and its
 * stack are one entry.
 */
export function logEntries(items: readonly string[], times: readonly string[] = []): readonly LogEntry[] {
  const entries: LogEntry[] = []
  for (const [at, line] of items.entries()) {
    const last = entries.at(-1)
    const isContinued = continued.test(line) || (line.trim() === '' && last?.level === 'error')
    if (line.trim() === '' && !isContinued) continue
    const starts = isContinued && last?.level !== 'error'
    const level = starts ? 'error' : levelOf(line)
    const isPart = last?.level === 'error' && (isContinued || (level === 'error' && continued.test(lastLine(last))))
    if (isPart && last) entries[entries.length - 1] = { ...last, text: `${last.text}\n${line}` }
    else entries.push({ time: times[at], level, text: level === 'host' ? line.slice(hostMark.length) : line })
  }
  return entries.map((entry) => ({ ...entry, text: entry.text.trimEnd().replaceAll(/\n{2,}/g, '\n') }))
}

function lastLine({ text }: LogEntry): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}

function levelOf(line: string): LogLevel {
  if (line.startsWith(hostMark)) return 'host'
  const [, number] = numbered.exec(line) ?? []
  if (number !== undefined) return Number(number) >= 50 ? 'error' : Number(number) >= 40 ? 'warn' : 'info'
  return words.find(([, pattern]) => pattern.test(line))?.[0] ?? 'info'
}

export type LogFilter = 'all' | 'warn' | 'error'

export function matching(
  entries: readonly LogEntry[],
  { filter, text }: { readonly filter: LogFilter; readonly text: string },
): readonly LogEntry[] {
  const wanted = text.trim().toLowerCase()
  return entries.filter(({ level, text: said }) => {
    const isLevel = filter === 'all' || level === 'error' || (filter === 'warn' && level === 'warn')
    return isLevel && said.toLowerCase().includes(wanted)
  })
}
