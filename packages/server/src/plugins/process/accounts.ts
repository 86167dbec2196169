import { randomInt } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** In a range that no system gives to people or services, and that containers map. */
const firstId = 61_200
const mostAccounts = 4_000
const readAndRun = 0o005
const pass = 0o001

/**
 * Who a plugin's process runs as. The two together tell what it has started, which it cannot shed: other hosts on the machine
 * count their users as we do, and their groups are drawn by lot.
 */
export interface Account extends Disposable {
  readonly uid: number
  readonly gid: number
}

export interface Accounts {
  /** `uid`: each plugin an account of its own, apart from us and from each other. `shared`: all of them our own. */
  readonly isolation: 'uid' | 'shared'
  /** For a process that is to start, until it is given back; undefined when accounts are shared. */
  take(): Account | undefined
}

/** Throws, in words for an operator, when what is wanted cannot be had. */
export function createAccounts(wanted: 'auto' | 'uid' | 'shared'): Accounts {
  const fault = wanted === 'shared' ? 'it is not wanted' : isolationFault()
  if (wanted === 'uid' && fault !== undefined) {
    throw new Error(`plugins.isolation: accounts of their own are not possible here: ${fault}`)
  }
  if (fault !== undefined) return { isolation: 'shared', take: () => undefined }
  const taken = new Map<number, number>()
  return {
    isolation: 'uid',
    take: () => {
      for (let id = firstId; id < firstId + mostAccounts; id++) {
        if (taken.has(id)) continue
        const gid = freeGroup(taken)
        taken.set(id, gid)
        return { uid: id, gid, [Symbol.dispose]: () => taken.delete(id) }
      }
      throw new Error(`more than ${mostAccounts} plugins cannot run here`)
    },
  }
}

function freeGroup(taken: ReadonlyMap<number, number>): number {
  const groups = new Set(taken.values())
  for (;;) {
    const gid = firstId + randomInt(mostAccounts)
    if (!groups.has(gid)) return gid
  }
}

/** Why an account that knows nobody could not run what we run. */
function isolationFault(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can change to another account'
  if (!isOpen(process.execPath, readAndRun)) return `${process.execPath} is not for everybody to run`
  for (let directory = dirname(process.execPath); ; directory = dirname(directory)) {
    if (!isOpen(directory, pass)) return `${directory} is closed to others`
    if (directory === dirname(directory)) return undefined
  }
}

function isOpen(path: string, rights: number): boolean {
  return (statSync(path).mode & rights) === rights
}
