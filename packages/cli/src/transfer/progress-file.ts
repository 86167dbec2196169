import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** How far an export or an import has come, beside its file. */
export interface ProgressFile<State extends object> {
  /** Undefined when there is nothing to continue. */
  read(): State | undefined
  write(state: State): void
  remove(): void
}

export function createProgressFile<State extends object>(file: string): ProgressFile<State> {
  return {
    read: () => {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as State
      } catch {
        return undefined
      }
    },
    write: (state) => {
      // Replaced at once: after a kill, there is the state before or after.
      const next = `${file}.next`
      writeFileSync(next, JSON.stringify(state), { mode: 0o600 })
      renameSync(next, file)
    },
    remove: () => rmSync(file, { force: true }),
  }
}
