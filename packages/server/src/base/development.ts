/**
 * How a host behaves differently for plugin developers. Set only by the program that assembles the host: no setting, variable
 * or request can.
 */
export interface Development {
  /** Called for every line that a plugin writes, instead of the log. */
  readonly onPluginLine: (plugin: string, line: string) => void
  /** Called for every state of a plugin's version, identified by its digest. */
  readonly onPluginState: (plugin: string, digest: string, state: DevelopedState) => void
  /** The local debugger port of the plugin; none by default. */
  readonly inspectPort?: number
  /** Whether this plugin is the one to debug. */
  readonly isInspected: (plugin: string) => boolean
}

/** As in the status of a plugin. */
interface DevelopedState {
  readonly phase: string
  readonly reason?: string
  readonly message?: string
}
