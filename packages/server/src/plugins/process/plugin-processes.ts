import { closeSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Cgroup, ProcessUse } from './cgroups.ts'

const pageBytes = 4_096
/** The same on every Linux that Node.js supports. */
const ticksPerSecond = 100
const lookMs = 250
/** Rounds of killing at a time; a plugin that still starts processes after them is visited again after `lookMs`. */
const mostRounds = 20
/** Lower priority than the host: a process that spins gets a ninth of the host's CPU share. */
const niceness = 10
/** Makes the OOM killer choose plugins first. */
const oomScore = 500
/** The environment variable that marks the processes of a plugin. */
export const markerName = 'PERGOLA_PROCESS'

/** What identifies the processes of a plugin, in any session and process group. */
export interface PluginIdentity {
  /** The process that the host started. */
  readonly pid: number
  /** Every process of this account belongs to the plugin. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined
  /**
   * Without an account: the value of `PERGOLA_PROCESS` in their environments. Descendants of a known process count without it;
   * it identifies those whose parent exited between two scans.
   */
  readonly marker: string
  /** If the kernel accounts for the processes, their number and memory come from there. */
  readonly cgroup?: Cgroup | undefined
}

/** Disposing it kills every process of the plugin. */
export interface WatchedProcesses extends Disposable {
  kill(): void
}

interface Watched extends PluginIdentity {
  readonly onUse: (use: ProcessUse) => void
}

interface Stat {
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** When it started; distinguishes processes that had the same PID. */
  readonly start: string
  readonly pages: number
  /** CPU time of the process and of its children that ended. */
  readonly ticks: number
}

interface Member extends Stat {
  readonly pid: number
}

interface Seen {
  readonly start: string
  owner: Watched | undefined
}

const watched = new Set<Watched>()
/** By PID, every process of the machine. A process never changes its plugin, so the plugin is determined once. */
let seen = new Map<number, Seen>()
let looking: NodeJS.Timeout | undefined

/** Reports the plugin's usage periodically until disposed. One scan of /proc serves all plugins. */
export function watchProcesses(identity: PluginIdentity, onUse: (use: ProcessUse) => void): WatchedProcesses {
  const plugin: Watched = { ...identity, onUse }
  watched.add(plugin)
  looking ??= setInterval(look, lookMs).unref()
  const end = () => {
    if (!killAll(plugin)) return void setTimeout(end, lookMs).unref()
    plugin.cgroup?.[Symbol.dispose]()
    watched.delete(plugin)
    if (watched.size > 0) return
    clearInterval(looking)
    looking = undefined
    seen = new Map()
  }
  return { kill: () => void killAll(plugin), [Symbol.dispose]: end }
}

function look(): void {
  const isCounted = (plugin: Watched) => plugin.cgroup !== undefined
  const members = [...watched].every(isCounted) ? new Map<Watched, readonly Member[]>() : scan()
  for (const plugin of watched) {
    const found = members.get(plugin) ?? []
    const bytes = found.reduce((sum, { pages }) => sum + pages * pageBytes, 0)
    const cpuSeconds = found.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond
    plugin.onUse(plugin.cgroup?.use() ?? { processes: found.length, bytes, cpuSeconds })
  }
}

/** The processes of every watched plugin. */
function scan(): ReadonlyMap<Watched, readonly Member[]> {
  const stats = new Map<number, Stat>()
  for (const pid of processIds()) {
    const stat = statOf(pid)
    if (stat) stats.set(pid, stat)
  }
  seen = new Map([...seen].filter(([pid, { start }]) => stats.get(pid)?.start === start))
  const ownerOf = createOwnerOf(stats)
  const members = new Map<Watched, Member[]>()
  for (const [pid, stat] of stats) {
    const owner = ownerOf(pid)
    // A zombie that init has not reaped yet counts for no plugin.
    if (!owner || (stat.state === 'Z' && ownerOf(stat.parent) !== owner)) continue
    const found = members.get(owner)
    if (found) found.push({ pid, ...stat })
    else members.set(owner, [{ pid, ...stat }])
  }
  return members
}

/** The plugin of a process: cached in `seen`, or determined and cached there. */
function createOwnerOf(stats: ReadonlyMap<number, Stat>): (pid: number) => Watched | undefined {
  const accounts = new Map<string, Watched>()
  const markers = new Map<string, Watched>()
  /** Process groups and sessions of known processes. */
  const groups = new Map<number, Watched>()
  for (const plugin of watched) {
    if (plugin.account) {
      accounts.set(`${plugin.account.uid} ${plugin.account.gid}`, plugin)
      continue
    }
    groups.set(plugin.pid, plugin)
    markers.set(plugin.marker, plugin)
  }
  for (const [pid, { owner }] of seen) {
    const { group, session } = stats.get(pid) ?? {}
    if (!owner || owner.account || group === undefined || session === undefined) continue
    groups.set(group, owner).set(session, owner)
  }
  const ownerOf = (pid: number): Watched | undefined => {
    const known = seen.get(pid)
    if (known) return known.owner
    const stat = stats.get(pid)
    if (!stat) return undefined
    const entry: Seen = { start: stat.start, owner: undefined }
    seen.set(pid, entry)
    entry.owner = accounts.size > 0 ? accounts.get(accountOf(pid)) : undefined
    if (markers.size > 0) {
      const { group, session, parent } = stat
      entry.owner ??= groups.get(group) ?? groups.get(session) ?? ownerOf(parent) ?? markers.get(markerOf(pid))
    }
    return entry.owner
  }
  return ownerOf
}

/** Returns whether none is left; each one found may just have started others. */
function killAll(plugin: Watched): boolean {
  plugin.cgroup?.kill()
  const killed = new Set<string>()
  for (let round = 0; round < mostRounds; round++) {
    const members = scan().get(plugin) ?? []
    const left = members.filter(({ pid, start, state }) => state !== 'Z' && !killed.has(`${pid} ${start}`))
    if (left.length === 0) return true
    for (const { pid, start } of left) {
      killed.add(`${pid} ${start}`)
      kill(pid)
    }
  }
  return false
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has exited, or changed its account, which only happens where `no-new-privs` is not supported.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
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

/** The uids of all running processes. */
export function uidsInUse(): ReadonlySet<number> {
  return new Set(processIds().map((pid) => Number(accountOf(pid).split(' ')[0] || Number.NaN)))
}

function processIds(): readonly number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return []
  }
}

/** The real uid and gid, which an unprivileged process cannot change. Empty for a process that has exited. */
function accountOf(pid: number): string {
  const [, uid = '', gid = ''] = /^Uid:\t(\d+)\t[^]*^Gid:\t(\d+)\t/m.exec(textOf(`/proc/${pid}/status`)) ?? []
  return `${uid} ${gid}`
}

/** Empty where there is none, or the environment cannot be read. */
function markerOf(pid: number): string {
  const [, marker = ''] = new RegExp(`(?:^|\0)${markerName}=([^\0]*)`).exec(textOf(`/proc/${pid}/environ`)) ?? []
  return marker
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** Longer than any line of /proc/<pid>/stat. */
const line = Buffer.alloc(1_024)

/** Undefined for a process that has exited meanwhile. Reads into one buffer, because it runs for every process of the machine. */
function statOf(pid: number): Stat | undefined {
  let file: number | undefined
  try {
    file = openSync(`/proc/${pid}/stat`, 'r')
    const stat = line.toString('latin1', 0, readSync(file, line, 0, line.length, null))
    // Fields after the name, which may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', parent, group, session] = fields
    return {
      state,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      start: fields[19] ?? '',
      pages: Number(fields[21]),
      // In user mode and in the kernel, each of itself and of its children.
      ticks: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0),
    }
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
