/**
 * The parts of the server that a test host uses. Declared here, because the server's own types would be compiled with every
 * test.
 */
export interface ServerModule {
  readonly embed: (options: EmbedOptions) => Promise<EmbeddedServer>
  /** The lowest version in all these ranges; undefined when there is none. */
  readonly versionWithin: (ranges: readonly string[]) => string | undefined
}

interface EmbedOptions {
  readonly administrator: { readonly username: string; readonly password: string }
  /** How to run a plugin in this process until disposed; undefined for those that run in a process of their own. */
  readonly runnerOf: (plugin: string) => ((start: PluginStart) => Promise<AsyncDisposable>) | undefined
  /** Packages to treat as shipped with the host, and names of plugins that do ship with it. */
  readonly shipped?: readonly (Uint8Array | string)[]
  readonly log: (line: string) => void
}

/** Values that the host passes to a plugin on start. */
export interface PluginStart {
  readonly token: string
  readonly listen: string
  readonly host: string
  readonly log: (line: string) => void
}

interface EmbeddedServer extends AsyncDisposable {
  readonly url: string
}

/** Typed as string, so that compilers and bundlers do not resolve the import. */
const serverPackage: string = '@pergola/server'

/** Loads the server, which authors install as a development dependency, because only tests need it. */
export async function loadServer(): Promise<ServerModule> {
  try {
    return (await import(/* @vite-ignore */ serverPackage)) as ServerModule
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`testHost cannot load its host; npm install --save-dev ${serverPackage} brings it: ${why}`, {
      cause,
    })
  }
}
