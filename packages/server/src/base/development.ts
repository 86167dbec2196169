/**
 * What a host does otherwise for whoever writes a plugin. The program that assembles it says so: no setting, no variable and no
 * request does.
 */
export interface Development {
  /** Told of every line that a plugin writes; the log is not. */
  readonly onPluginLine: (plugin: string, line: string) => void
  /** Told what becomes of a version of a plugin, known by its digest. */
  readonly onPluginState: (plugin: string, digest: string, state: DevelopedState) => void
  /** On which port of this machine a debugger finds the plugin; on none unless it is said. */
  readonly inspectPort?: number
  /** Whether it is this plugin that debuggers look for. */
  readonly isInspected: (plugin: string) => boolean
}

/** As the status of a plugin has it. */
interface DevelopedState {
  readonly phase: string
  readonly reason?: string
  readonly message?: string
}
