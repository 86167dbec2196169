import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Account } from './accounts.ts'

const pageBytes = 4_096
const lookMs = 250
/** Lower priority than the host: a process that spins gets a ninth of the host's CPU share. */
const niceness = 10
/** Makes the OOM killer choose plugins first. */
const oomScore = 500

/** Resource usage of a process group. */
export interface GroupUse {
  readonly processes: number
  /** Shared pages are counted for each process. */
  readonly bytes: number
}

const watched = new Map<number, (use: GroupUse) => void>()
let looking: NodeJS.Timeout | undefined

/** Reports the group's usage periodically until disposed. One scan of /proc serves all groups. */
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

/** Kills every process of the group; does nothing when there is none. */
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

/** Kills every process of the account, in any group and under any parent. */
export function killAccount({ uid, gid }: Pick<Account, 'uid' | 'gid'>): void {
  const wanted = new RegExp(`^State:\\t[^Z][^]*^Uid:\\t${uid}\\t[^]*^Gid:\\t${gid}\\t`, 'm')
  const ended = new Set<string>()
  // Repeats until none is found: a process may have been about to start others.
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

/** Gives the process, and its children, a lower priority than the host for CPU and memory. */
export function yieldToHost(pid: number): void {
  try {
    setPriority(pid, niceness)
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(oomScore))
  } catch {
    // The process has exited already, or the system does not support this.
  }
}

function processIds(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Empty when the file does not exist. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Undefined for a process that has exited meanwhile. */
function statOf(pid: string): { readonly group: number; readonly pages: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Fields after the name, which may contain anything: state, parent, group, and resident pages further on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { group: Number(fields[2]), pages: Number(fields[21]) }
  } catch {
    return undefined
  }
}
