import { mayHoldSecret, withoutSecrets } from '../base/shown-path.ts'

/** What is written of one thing that was done, or that somebody was kept from. Never a body, a query or a secret. */
export interface AuditEntry {
  /** More than a request, in a word: `sign-in`, `password-set-failed`. */
  readonly event?: string
  readonly requestId?: string
  /** Who; absent for nobody in particular. */
  readonly user?: string
  /** How it showed who it is. */
  readonly how: 'anonymous' | 'refused' | 'cookie' | 'session' | 'token' | 'plugin' | 'configuration' | 'command'
  /** That asked in its name. */
  readonly through?: string
  /** The name of a personal access token. */
  readonly token?: string
  readonly address?: string
  readonly verb?: string
  /** Of resources: the empty group is the core group. */
  readonly group?: string
  readonly resource?: string
  readonly name?: string
  /** Of everything else. */
  readonly path?: string
  /** Whose account it is about, when the path does not say. */
  readonly account?: string
  readonly dryRun?: true
  readonly decision: 'allowed' | 'denied'
  /** The role that allows it. */
  readonly by?: string
  /** Why it failed, by the table of problems. */
  readonly reason?: string
  readonly status?: number
  readonly ms?: number
}

/** A pipe takes this many bytes whole or not at all; no line is longer. */
export const maxLineBytes = 4_096
/** Of one value; a character may take six bytes when it is not plain. */
const mostPlain = 253
const mostOther = 40
/** A line of no more characters is short enough, whatever they are. */
const usualLength = 1_300

/** One JSON object and its end. `audit` is the edition of the form. */
export function auditLine(time: number, entry: AuditEntry | DroppedLines): Buffer {
  const all = { audit: 1, time: new Date(time).toISOString(), ...entry }
  const line = JSON.stringify(all)
  // Looking at each value takes as long as all the rest, and hardly any line needs it.
  const isUsual = line.length <= usualLength && !mayHoldSecret(line)
  return Buffer.from(`${isUsual ? line : JSON.stringify(all, shown)}\n`)
}

/** Stands where lines are missing. */
export interface DroppedLines {
  readonly event: 'dropped'
  readonly count: number
  readonly since: string
}

function shown(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const most = /^[ -~]*$/.test(value) ? mostPlain : mostOther
  return withoutSecrets(value.length <= most ? value : `${value.slice(0, most).toWellFormed()}…`)
}
