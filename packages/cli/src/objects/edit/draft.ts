import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The file that is open in the editor. Readable only by its owner. */
export interface Draft {
  readonly file: string
  write(text: string): void
  read(): string
  /** Whether the file was written since the last `write`, with the same text or another. */
  isSaved(): boolean
  remove(): void
}

export function createDraft(name: string): Draft {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-edit-'))
  const file = join(folder, `${name}.yaml`)
  let written = ''
  const state = () => {
    const { mtimeNs, ino } = statSync(file, { bigint: true })
    return `${mtimeNs} ${ino}`
  }
  return {
    file,
    write: (text) => {
      writeFileSync(file, text, { mode: 0o600 })
      written = state()
    },
    read: () => readFileSync(file, 'utf8'),
    isSaved: () => state() !== written,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
