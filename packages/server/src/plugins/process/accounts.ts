import { randomInt } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** A range that no system assigns to people or services, and that containers map. */
const firstId = 61_200
const mostAccounts = 4_000
const readAndRun = 0o005
const pass = 0o001

/**
 * The account of a plugin's process. Uid and gid together identify everything that it has started, which it cannot change:
 * other hosts on the machine count their uids as this one does, but their gids are random.
 */
export interface Account extends Disposable {
  readonly uid: number
  readonly gid: number
}

export interface Accounts {
  /**
   * `uid`: each plugin has its own account, separate from the host and from each other. `shared`: all use the host's account.
   */
  readonly isolation: 'uid' | 'shared'
  /** Reserves an account for a process until it is disposed; undefined when accounts are shared. */
  take(): Account | undefined
}

/** Throws, with a message for the operator, when the wanted isolation is not possible. */
export function createAccounts(wanted: 'auto' | 'uid' | 'shared'): Accounts {
  const fault = wanted === 'shared' ? 'plugins.isolation is shared' : isolationFault()
  if (wanted === 'uid' && fault !== undefined) {
    throw new Error(`plugins.isolation: separate accounts for plugins are not possible here: ${fault}`)
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

/** Why an unprivileged account could not run our programs. */
function isolationFault(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can change to another account'
  if (!isOpen(process.execPath, readAndRun)) return `${process.execPath} cannot be executed by other accounts`
  for (let directory = dirname(process.execPath); ; directory = dirname(directory)) {
    if (!isOpen(directory, pass)) return `${directory} is not accessible to other accounts`
    if (directory === dirname(directory)) return undefined
  }
}

function isOpen(path: string, rights: number): boolean {
  return (statSync(path).mode & rights) === rights
}
