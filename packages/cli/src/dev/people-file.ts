import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { devFolderName } from './dev-folder.ts'

/** Test users of a running `pergola dev`. */
export interface People {
  readonly url: string
  /** PID of the `pergola dev` process. */
  readonly pid: number
  /** Tokens by user name; null for an anonymous caller. */
  readonly tokens: Readonly<Record<string, string | null>>
}

const fileName = 'people.json'
/** Tokens are only sent to this machine. */
const here = /^http:\/\/127\.0\.0\.1:\d{1,5}$/

/** Written readable only for its owner, because each token is a signed-in session. */
export function writePeople(pluginFolder: string, people: People): void {
  const file = join(pluginFolder, devFolderName, fileName)
  const next = `${file}.next`
  rmSync(next, { force: true })
  writeFileSync(next, `${JSON.stringify(people, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(next, file)
}

export function forgetPeople(pluginFolder: string): void {
  rmSync(join(pluginFolder, devFolderName, fileName), { force: true })
}

/** Reads the users of the nearest `pergola dev`, in this folder or above; undefined when none runs. */
export function readPeople(from: string): People | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, devFolderName, fileName)
    const people = isOurs(file) ? (JSON.parse(readFileSync(file, 'utf8')) as People) : undefined
    if (people && here.test(people.url) && isRunning(people.pid)) return people
    if (folder === dirname(folder)) return undefined
  }
}

/** Accepts only private files of the current user: a planted or copied file must not redirect commands to another server. */
function isOurs(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}

/** Detects the stale file of a killed host. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
