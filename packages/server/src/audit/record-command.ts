import { systemClock, type Clock } from '../base/clock.ts'
import { createAppendFile } from './append-file.ts'
import { auditLine, type AuditEntry } from './audit-entry.ts'

interface CommandAuditParts {
  /** `audit.file` of the configuration, when it is set. */
  readonly file: string | undefined
  readonly clock?: Clock
  /** Where a line goes that has no file, or cannot be written to it. */
  readonly stderr: (text: string) => void
}

/** What a command did to the database itself, past the API. */
export interface CommandEntry {
  /** In a word: `password-set`, `token-create`. */
  readonly event: string
  /** Who ran the command, as the operating system has it. */
  readonly user: string
  /** Whose account it is about. */
  readonly account?: string
  /** Of the object that it is about, such as a token. */
  readonly name?: string
}

/** Leaves an entry in the server's own audit log, also while that runs. Resolves when the line is written somewhere. */
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
