import type { SqlStatement } from '../store/store.ts'

/** By what somebody has shown who it is, to be seen again in the transaction that begins its session. */
export interface Proof {
  /** Whoever takes it away meanwhile waits for the transaction, or is waited for. */
  readonly hold: SqlStatement
  /** Answers a row when it was taken away. */
  readonly isGone: SqlStatement
}
