import { mayHoldSecret, withoutSecrets } from '../base/shown-path.ts'

/** An audit entry: an action that was done or refused. Never contains a body, a query or a secret. */
export interface AuditEntry {
  /** A special event: `sign-in`, `password-set-failed`. */
  readonly event?: string
  /** The name of the replica that wrote the line. */
  readonly replica?: string
  readonly requestId?: string
  /** The user; absent for anonymous callers. */
  readonly user?: string
  /** How the caller was authenticated. */
  readonly how: 'anonymous' | 'refused' | 'cookie' | 'session' | 'token' | 'plugin' | 'configuration' | 'command'
  /** The plugin that acted for the caller. */
  readonly through?: string
  /** The name of a personal access token. */
  readonly token?: string
  readonly address?: string
  readonly verb?: string
  /** For resources; the empty group is the core group. */
  readonly group?: string
  readonly resource?: string
  readonly name?: string
  /** For non-resource requests. */
  readonly path?: string
  /** The account concerned, if the path does not name it. */
  readonly account?: string
  readonly dryRun?: true
  readonly decision: 'allowed' | 'denied'
  /** The role that allowed it. */
  readonly by?: string
  /** Why it failed, from the table of problems. */
  readonly reason?: string
  readonly status?: number
  readonly ms?: number
}

/** A pipe accepts this many bytes atomically; no line is longer. */
export const maxLineBytes = 4_096
/** Maximum length of one value; a non-plain character may take six bytes. */
const mostPlain = 253
const mostOther = 40
/** A line of at most this many characters is short enough, whatever they are. */
const usualLength = 1_300

/** One JSON object and a line break. `audit` is the version of the format. */
export function auditLine(time: number, entry: AuditEntry | DroppedLines): Buffer {
  const all = { audit: 1, time: new Date(time).toISOString(), ...entry }
  const line = JSON.stringify(all)
  // Checking each value takes as long as everything else, and hardly any line needs it.
  const isUsual = line.length <= usualLength && !mayHoldSecret(line)
  return Buffer.from(`${isUsual ? line : JSON.stringify(all, shown)}\n`)
}

/** Marks where lines are missing. */
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
