import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import { uidsInUse } from './plugin-processes.ts'

/** Ids that no system assigns to people or lasting services, and that containers map. */
const firstId = 61_200
const mostAccounts = 4_000
/** Ids that a host reserves at a time. */
const rangeSize = 100
const readAndRun = 0o005
const pass = 0o001

/** The account of a plugin's process. Uid and gid together identify everything that it has started, which it cannot change. */
export interface Account extends Disposable {
  readonly uid: number
  readonly gid: number
}

export interface Accounts extends Disposable {
  /**
   * `uid`: each plugin has its own account, separate from the host and from each other. `shared`: all use the host's account.
   */
  readonly isolation: 'uid' | 'shared'
  /** Whether plugins run as root. */
  readonly isRoot: boolean
  /** As text, for operators. */
  readonly description: string
  /** Warning logged at startup: plugins are less isolated from the host than the operator may expect. */
  readonly warning?: string
  /** Reserves an account for a process until it is disposed; undefined when accounts are shared. */
  take(): Promise<Account | undefined>
}

/** Throws, with a message for the operator, if the requested isolation is not possible. */
export function createAccounts(wanted: 'auto' | 'uid' | 'shared'): Accounts {
  if (wanted === 'shared') return sharedAccounts()
  const fault = isolationFault()
  if (wanted === 'uid' && fault !== undefined) {
    throw new Error(`plugins.isolation: separate accounts for plugins are not possible here: ${fault}`)
  }
  if (fault !== undefined) return sharedAccounts(fault)
  const ranges: IdRange[] = []
  const taken = new Map<number, number>()
  const free = async (): Promise<number> => {
    const used = uidsInUse()
    for (const { first } of ranges) {
      for (let id = first; id < first + rangeSize; id++) if (!taken.has(id) && !used.has(id)) return id
    }
    ranges.push(await takeRange())
    return free()
  }
  const takeNext = async (): Promise<Account> => {
    const uid = await free()
    const gid = freeGroup(taken)
    taken.set(uid, gid)
    return { uid, gid, [Symbol.dispose]: () => taken.delete(uid) }
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    isolation: 'uid',
    isRoot: false,
    description: 'a separate account each',
    // Serialized: two could get the same id.
    take: () => {
      const next = last.then(takeNext, takeNext)
      last = next
      return next
    },
    [Symbol.dispose]: () => {
      for (const { lock } of ranges) lock.close()
    },
  }
}

/** `fault` is the reason if isolation was not requested explicitly. */
function sharedAccounts(fault?: string): Accounts {
  const isRoot = process.getuid?.() === 0
  const why = fault === undefined ? 'plugins.isolation is shared' : `plugins.isolation became shared, because ${fault}`
  const account = isRoot
    ? 'root, and can do everything on this machine'
    : 'the account of the host, and can read what it can'
  return {
    isolation: 'shared',
    isRoot,
    description: `isolated from crashes only, not from each other${isRoot ? ', and running as root' : ''} (plugins.isolation); a process that clears its environment and leaves its parent between two scans is not counted by limits`,
    ...((isRoot || fault !== undefined) && { warning: `${why}: plugins run as ${account}` }),
    take: async () => undefined,
    [Symbol.dispose]: () => {},
  }
}

interface IdRange {
  readonly first: number
  /** The kernel releases it when this process ends in any way. */
  readonly lock: Server
}

/**
 * Takes ids that no other host on the machine uses: each range has a socket in the abstract namespace, to which one process at
 * a time can be bound.
 */
async function takeRange(): Promise<IdRange> {
  for (let first = firstId; first < firstId + mostAccounts; first += rangeSize) {
    const lock = createServer((client) => client.destroy()).unref()
    try {
      await once(lock.listen(`\0pergola-accounts-${first}`), 'listening')
      return { first, lock }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
  const ids = `${firstId} to ${firstId + mostAccounts - 1}`
  throw new Error(`no account is free for the plugin: other hosts or processes on this machine use the uids ${ids}`)
}

function freeGroup(taken: ReadonlyMap<number, number>): number {
  const groups = new Set(taken.values())
  for (;;) {
    const gid = firstId + randomInt(mostAccounts)
    if (!groups.has(gid)) return gid
  }
}

/** Why an unprivileged account could not run the programs. */
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
