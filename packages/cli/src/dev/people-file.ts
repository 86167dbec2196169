import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { devFolderName } from './dev-folder.ts'

/** Who there is where plugins are written, while `pergola dev` runs. */
export interface People {
  readonly url: string
  /** Of the process that serves there. */
  readonly pid: number
  /** By name; who has no token is nobody, and calls without one. */
  readonly tokens: Readonly<Record<string, string | null>>
}

const fileName = 'people.json'
/** Tokens go to this machine, and to no other. */
const here = /^http:\/\/localhost:\d{1,5}$/

/** Only for whoever runs the host: each token is a person who has signed in. */
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

/** Of the folder, or the nearest one above it where `pergola dev` runs; undefined when there is none. */
export function readPeople(from: string): People | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, devFolderName, fileName)
    const people = isOurs(file) ? (JSON.parse(readFileSync(file, 'utf8')) as People) : undefined
    if (people && here.test(people.url) && isRunning(people.pid)) return people
    if (folder === dirname(folder)) return undefined
  }
}

/** What somebody else has put above a folder, or into one that was copied, must not say where commands go. */
function isOurs(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}

/** A host that was killed leaves its people behind. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
