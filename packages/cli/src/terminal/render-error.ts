import { isApiError, type ApiError } from '@pergola/api'
import { CommandFault } from './command-fault.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'
import { tableOf } from './table.ts'
import { visible } from './visible.ts'

export interface RenderedError {
  readonly lines: readonly string[]
  readonly exitCode: ExitCode
}

/** Formats an error for people: what failed and the next step, without a stack. */
export function renderError(error: unknown): RenderedError {
  if (error instanceof CommandFault) {
    const { message, lines, next, exitCode } = error
    return { lines: [message, ...lines, ...nextLine(next)], exitCode }
  }
  if (isApiError(error)) return { lines: apiErrorLines(error), exitCode: codeOf(error) }
  if (isConnectionError(error)) return { lines: connectionLines(error), exitCode: exitCodes.unreachable }
  const message = error instanceof Error ? error.message : String(error)
  return { lines: [visible(message)], exitCode: exitCodes.failed }
}

function nextLine(next: string | undefined): readonly string[] {
  return next === undefined ? [] : [`  next      ${next}`]
}

/** Formats a rejected request, with a line for each field that adds to the message. */
function refusalLines(error: ApiError): readonly string[] {
  const [first, ...others] = error.errors ?? []
  const isSaid =
    first && others.length === 0 && [first.field, first.message].every((text) => error.message.includes(text))
  const summary = summaryOf(error)
  return isSaid && summary === error.message ? [visible(summary)] : [visible(summary), ...fieldLines(error)]
}

/** Removes the field errors from the message; they are printed on separate lines. */
export function summaryOf({ message, errors: [first] = [] }: Pick<ApiError, 'message' | 'errors'>): string {
  const at = first ? message.indexOf(`: ${first.field} ${first.message}`) : -1
  return at < 0 ? message : message.slice(0, at)
}

/** Formats one line per field error. */
export function fieldLines({ errors = [] }: Pick<ApiError, 'errors'>): readonly string[] {
  return tableLines(errors.map(({ field, message }) => [visible(field), visible(message)]))
}

function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const [, ...lines] = tableOf([], rows)
  return lines
}

function apiErrorLines(error: ApiError): readonly string[] {
  const { reason, requestId } = error
  const isOurs = reason !== 'Internal'
  return [
    ...refusalLines(error),
    ...(isOurs || requestId === undefined ? [] : [`  request   ${requestId}, see the log of the server`]),
    ...nextLine(adviceFor(error)),
  ]
}

/** No hint to `doctor`: a missing key of the server can only be added by its operator. */
const keysAdvice = 'change secrets.keys on the server, as in docs/reference/configuration.md#secrets, and restart it'

function adviceFor({ reason, headers, message }: ApiError): string | undefined {
  switch (reason) {
    case 'Unauthenticated':
      return 'pergola login <url>'
    case 'EscalationForbidden':
      return 'ask somebody who holds these rights, or a super administrator'
    case 'ModelNotFound':
      return 'pergola plugin list'
    case 'PluginNotStarted':
    case 'PluginFailed':
      return 'pergola plugin list'
    case 'TooManyRequests':
      return `try again in ${headers['retry-after'] ?? 'a few'} s`
    case 'Unavailable':
      return message.includes('secrets.keys') ? keysAdvice : 'pergola doctor'
    case 'Draining':
      return 'pergola doctor'
    default:
      return undefined
  }
}

function codeOf({ status }: ApiError): ExitCode {
  return status === 401 ? exitCodes.notSignedIn : exitCodes.failed
}

/** Checks the name, because importing the client for its class would slow every error down. */
function isConnectionError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ConnectionError'
}

function connectionLines({ message }: Error): readonly string[] {
  const isCertificate = /certificate|self.signed|unable to verify/i.test(message)
  const advice = isCertificate
    ? 'set NODE_EXTRA_CA_CERTS=<file> to the certificate of the authority that signed it'
    : 'check the URL and that the server is running:  pergola doctor'
  return [visible(message), ...nextLine(advice)]
}
