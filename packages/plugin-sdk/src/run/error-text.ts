import { siteFrames } from './call-site.ts'

/** Causes that are printed; the chain may lead back to an error in it. */
const maxCauses = 5

/** The error with its stack trace, and each of its causes in a line. */
export function errorText(error: unknown): string {
  const first = error instanceof Error ? [error.stack ?? String(error), ...siteFrames(error)] : [String(error)]
  return [...first, ...causesOf(error).map((cause) => `  caused by: ${cause}`)].join('\n')
}

/** The error and its causes without stack traces. */
export function errorLine(error: unknown): string {
  return [String(error), ...causesOf(error).map((cause) => `caused by: ${cause}`)].join('; ')
}

function causesOf(error: unknown): readonly string[] {
  const causes: string[] = []
  let cause = causeOf(error)
  while (cause !== undefined && causes.length < maxCauses) {
    causes.push(causeText(cause))
    cause = causeOf(cause)
  }
  return causes
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}

/** Includes the parts of an `AggregateError`: a failed connection to a host with several addresses has no message itself. */
function causeText(cause: unknown): string {
  if (!(cause instanceof AggregateError)) return String(cause)
  return `${String(cause)} (${cause.errors.slice(0, maxCauses).map(String).join(', ')})`
}
