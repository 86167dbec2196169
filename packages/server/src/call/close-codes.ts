import { problems, type Reason } from '@pergola/api'

/** Codes with which the host closes WebSockets (RFC 6455, 7.4), besides those of problems. */
export const closeCodes = {
  /** The stream ends as planned. */
  done: 1000,
  /** The client may reconnect, here or elsewhere. */
  goingAway: 1001,
  /** The connection is not allowed, or no longer. */
  notAllowed: 1008,
  /** An internal error. */
  failed: 1011,
} as const

/** The code of a watch that ends with a problem, in the range for applications: 4410 for 410. */
export function problemCloseCode(reason: Reason): number {
  return 4000 + problems[reason].status
}
