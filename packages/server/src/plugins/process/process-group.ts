import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Account } from './accounts.ts'

const pageBytes = 4_096
const lookMs = 250
/** Below ours: one that spins gets a ninth of what we do. */
const niceness = 10
/** Of those who may go when memory runs out, the first. */
const oomScore = 500

/** What the processes of a group take. */
export interface GroupUse {
  readonly processes: number
  /** Shared pages are counted for each. */
  readonly bytes: number
}

const watched = new Map<number, (use: GroupUse) => void>()
let looking: NodeJS.Timeout | undefined

/** Tells of the group again and again, until it is let go. One look at the machine is for all of them. */
export function watchGroup(group: number, onUse: (use: GroupUse) => void): Disposable {
  watched.set(group, onUse)
  looking ??= setInterval(look, lookMs).unref()
  return {
    [Symbol.dispose]: () => {
      watched.delete(group)
      if (watched.size > 0) return
      clearInterval(looking)
      looking = undefined
    },
  }
}

function look(): void {
  const uses = new Map<number, GroupUse>()
  for (const pid of processIds()) {
    const { group, pages } = statOf(pid) ?? {}
    if (group === undefined || pages === undefined || !watched.has(group)) continue
    const { processes, bytes } = uses.get(group) ?? { processes: 0, bytes: 0 }
    uses.set(group, { processes: processes + 1, bytes: bytes + pages * pageBytes })
  }
  for (const [group, use] of uses) watched.get(group)?.(use)
}

/** Ends every process of the group; harmless when there is none. */
export function killGroup(group: number): void {
  kill(-group)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Ends every process of the account, in whatever group and under whatever parent it is. */
export function killAccount({ uid, gid }: Pick<Account, 'uid' | 'gid'>): void {
  const wanted = new RegExp(`^State:\\t[^Z][^]*^Uid:\\t${uid}\\t[^]*^Gid:\\t${gid}\\t`, 'm')
  const ended = new Set<string>()
  // Until no more come: those that were found may have been about to start others.
  for (let found = true; found;) {
    found = false
    for (const pid of processIds()) {
      if (ended.has(pid) || !wanted.test(textOf(`/proc/${pid}/status`))) continue
      ended.add(pid)
      found = true
      kill(Number(pid))
    }
  }
}

/** Behind us, whatever there is too little of; what the process starts inherits it. */
export function yieldToHost(pid: number): void {
  try {
    setPriority(pid, niceness)
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(oomScore))
  } catch {
    // It has ended already, or the system knows no such thing.
  }
}

function processIds(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Empty when the file is gone. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Undefined for a process that has ended meanwhile. */
function statOf(pid: string): { readonly group: number; readonly pages: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Behind the name, which may hold anything: state, parent, group, and resident pages further on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { group: Number(fields[2]), pages: Number(fields[21]) }
  } catch {
    return undefined
  }
}
