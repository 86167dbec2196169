type LogLevel = 'info' | 'warn' | 'error' | 'host'

export interface LogLine {
  readonly text: string
  readonly time?: string | undefined
  /** The name of the replica that received it. */
  readonly replica?: string | undefined
}

export interface LogEntry extends LogLine {
  readonly level: LogLevel
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
 * stack are one entry, even if other replicas wrote in between.
 */
export function logEntries(lines: readonly LogLine[]): readonly LogEntry[] {
  const entries: LogEntry[] = []
  /** The index of the last entry of each replica. */
  const lasts = new Map<string | undefined, number>()
  for (const { text: line, time, replica } of lines) {
    const at = lasts.get(replica) ?? -1
    const last = entries[at]
    const isContinued = continued.test(line) || (line.trim() === '' && last?.level === 'error')
    if (line.trim() === '' && !isContinued) continue
    const starts = isContinued && last?.level !== 'error'
    const level = starts ? 'error' : levelOf(line)
    const isPart = last?.level === 'error' && (isContinued || (level === 'error' && continued.test(lastLine(last))))
    if (isPart && last) entries[at] = { ...last, text: `${last.text}\n${line}` }
    else
      lasts.set(
        replica,
        entries.push({ time, level, replica, text: level === 'host' ? line.slice(hostMark.length) : line }) - 1,
      )
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
  { filter, text, replica }: { readonly filter: LogFilter; readonly text: string; readonly replica?: string },
): readonly LogEntry[] {
  const wanted = text.trim().toLowerCase()
  return entries.filter(({ level, text: said, replica: on }) => {
    const isLevel = filter === 'all' || level === 'error' || (filter === 'warn' && level === 'warn')
    return isLevel && (replica === undefined || on === replica) && said.toLowerCase().includes(wanted)
  })
}
