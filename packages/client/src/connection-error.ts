/** The server did not respond: it was unreachable, the connection broke, or the request timed out. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  /** False when the request certainly was not sent; retrying it then cannot execute it twice. */
  readonly mayHaveArrived: boolean
  readonly timedOut: boolean

  constructor(message: string, options: ConnectionErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.timedOut = options.timedOut ?? false
    this.mayHaveArrived = !neverLeft(options.cause)
  }
}

export interface ConnectionErrorOptions {
  readonly cause?: unknown
  readonly timedOut?: boolean
}

/** Checks the name rather than the class, because several copies of this package may be loaded. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof Error && error.name === 'ConnectionError' && 'mayHaveArrived' in error
}

interface Cause {
  readonly cause?: unknown
  readonly code?: unknown
  readonly syscall?: unknown
  readonly errors?: readonly unknown[]
}

/** Only Node.js reports this; in browsers all network errors look the same. */
function neverLeft(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { cause, code, syscall, errors } = error as Cause
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo') return true
  if (errors !== undefined && errors.length > 0) return errors.every(neverLeft)
  return neverLeft(cause)
}
