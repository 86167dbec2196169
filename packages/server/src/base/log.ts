import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LogOptions {
  readonly level: LogLevel
  /** Readable lines instead of JSON. */
  readonly pretty: boolean
  readonly write: (text: string) => void
  /** Name of this replica, in every JSON line. */
  readonly replica?: string
}

/** Structured lines, one JSON object each; on a terminal the same facts as text. */
export function createLog({ level, pretty, write, replica }: LogOptions): Log {
  const destination: DestinationStream = { write: pretty ? (line) => write(prettyLine(line)) : write }
  const options = {
    level,
    base: pretty || replica === undefined ? null : { replica },
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { logMethod: oncePerOutage },
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return pino(options, destination)
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/** Only the beginning and end of an outage are logged; errors caused by it are not. */
const oncePerOutage: LogMethod = function write(this: Logger, given, method) {
  const [facts] = given as readonly unknown[]
  if (typeof facts !== 'object' || facts === null || !('err' in facts) || !isOfOutage(facts.err)) {
    return method.apply(this, given)
  }
  this.trace(...given)
}

/** Whether the error, or one of its causes, is marked as an outage. */
function isOfOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('isOutage' in error && error.isOutage === true) || isOfOutage(error.cause)
}

interface Line {
  readonly level: LogLevel
  readonly time: string
  readonly msg: string
  readonly err?: { readonly stack?: string }
  readonly [fact: string]: unknown
}

function prettyLine(json: string): string {
  const { level, time, msg, err, ...facts } = JSON.parse(json) as Line
  const clock = new Date(time).toTimeString().slice(0, 8)
  const mark = level === 'error' || level === 'warn' ? level.padEnd(6) : ''
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`
  return `${clock} ${mark}${msg === 'request' ? requestLine(facts) : `${msg}${words(facts)}`}${stack}\n`
}

function requestLine({ status, user, method, target, ms, reason }: Record<string, unknown>): string {
  const shown = [status, user ?? 'anonymous', method, target, ms, 'ms', reason]
  return shown
    .filter((part) => part !== undefined)
    .map(word)
    .join(' ')
}

function words(facts: Record<string, unknown>): string {
  return Object.entries(facts)
    .map(([key, value]) => ` ${key}=${word(value)}`)
    .join('')
}

/** Quoted if it could be mistaken for the end of the line or the start of another field. */
function word(value: unknown): string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : JSON.stringify(value)
}
