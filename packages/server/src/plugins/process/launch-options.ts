import type { Account } from './accounts.ts'
import type { Cgroups } from './cgroups.ts'
import type { Inspector } from './inspector.ts'
import type { RunHere } from './launch-here.ts'

export interface LaunchOptions {
  readonly name: string
  readonly command: readonly string[]
  /** Its working directory, and the one for its temporary files. */
  readonly directory: string
  /** The socket of the host's API. */
  readonly hostSocket: string
  readonly limits: HostLimits
  /** The start token, for a host that must know it before the process is healthy; a new one by default. */
  readonly token?: string
  /** The account it runs as; the host's own by default. */
  readonly account?: Account | undefined
  /** Creates a cgroup that accounts for its processes, if supported. */
  readonly cgroups?: Cgroups | undefined
  /** Runs the plugin in the host's own process instead of executing the command. */
  readonly runHere?: RunHere | undefined
  /** Set during development: the process need not answer at a breakpoint, and it is not deprioritized. */
  readonly inspector?: Inspector | undefined
  /** Aborted when the plugin should stop, in any state. */
  readonly signal?: AbortSignal
  /** Called for every line it writes. */
  readonly onLine: (line: string) => void
}

export interface HostLimits {
  readonly memoryBytes: number
  /** During development the limit is higher; this is the default limit of a host, for a warning. */
  readonly usualMemoryBytes?: number
  /** Maximum number of its processes. */
  readonly processes: number
  /** Maximum size of its scratch folder, and of any file that it writes. */
  readonly scratchBytes: number
  /** Timeout from the start until it is healthy. */
  readonly startMs: number
}
