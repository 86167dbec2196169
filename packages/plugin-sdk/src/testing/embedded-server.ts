/** What of the server a test host needs. Not its own types: with them, everybody who compiles a test would compile a server. */
export interface ServerModule {
  readonly embed: (options: EmbedOptions) => Promise<EmbeddedServer>
}

interface EmbedOptions {
  readonly administrator: { readonly username: string; readonly password: string }
  /** Runs the plugin here, until it is disposed of. */
  readonly runPlugin: (start: PluginStart) => Promise<AsyncDisposable>
  /** Packages of plugins that come with the host. */
  readonly shipped?: readonly Uint8Array[]
  readonly log: (line: string) => void
}

/** What the host says to a plugin that it starts. */
export interface PluginStart {
  readonly token: string
  readonly listen: string
  readonly host: string
  readonly log: (line: string) => void
}

interface EmbeddedServer extends AsyncDisposable {
  readonly url: string
}

/** A name that neither compilers nor bundlers follow. */
const serverPackage: string = '@pergola/server'

/** Only tests need it, and so it is installed beside the SDK and not with it. */
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
