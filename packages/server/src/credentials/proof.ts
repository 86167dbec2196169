import type { Guard, SqlStatement } from '../store/store.ts'

/** Proof of an authentication, checked again in the transaction that begins the session. */
export interface Proof {
  /** Locks the proof, so that a concurrent removal waits for the transaction or is waited for. */
  readonly lock: SqlStatement
  readonly holds: Guard
}
