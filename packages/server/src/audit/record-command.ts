import { systemClock, type Clock } from '../base/clock.ts'
import { createAppendFile } from './append-file.ts'
import { auditLine, type AuditEntry } from './audit-entry.ts'

interface CommandAuditParts {
  /** `audit.file` of the configuration, if set. */
  readonly file: string | undefined
  readonly clock?: Clock
  /** Receives the line when there is no file or writing fails. */
  readonly stderr: (text: string) => void
}

/** An action of a command on the database itself, bypassing the API. */
export interface CommandEntry {
  /** The event: `password-set`, `token-create`. */
  readonly event: string
  /** The operating system user who ran the command. */
  readonly user: string
  /** The account concerned. */
  readonly account?: string
  /** The object concerned, such as a token. */
  readonly name?: string
}

/** Adds an entry to the server's audit log, even while the server runs. Resolves when the line is written somewhere. */
export async function recordCommand(
  entry: CommandEntry,
  { file, clock = systemClock, stderr }: CommandAuditParts,
): Promise<void> {
  const line = auditLine(clock.now(), { ...entry, how: 'command', decision: 'allowed' } satisfies AuditEntry)
  if (file === undefined) return stderr(line.toString())
  try {
    await using target = createAppendFile(file)
    await target.append([line])
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    stderr(`The audit log ${file} cannot be written (${why}); this line belongs there:\n${line.toString()}`)
  }
}
