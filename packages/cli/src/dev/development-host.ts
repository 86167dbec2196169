import type { PluginDefinition } from '@pergola/api'
import type { DevFolder } from './dev-folder.ts'
import { createHostApi, type HostApi } from './host-api.ts'
import { createHostLines } from './host-lines.ts'
import type { Output } from './output.ts'
import { forgetPeople, writePeople } from './people-file.ts'
import { createPluginLines, type PluginLines } from './plugin-lines.ts'
import { createVersionStates } from './version-states.ts'

const administrator = 'admin'
const signedIn = 'ann'
const anonymous = 'nobody'
/** Sessions expire after twelve idle hours, and `pergola dev` may run for days. */
const signInAgainMs = 6 * 3_600_000

export interface HostOptions {
  /** Folder of the plugin. */
  readonly folder: string
  readonly port: number
  /** Port for the debugger; undefined disables it. */
  readonly inspectPort: number | undefined
  readonly verbose: boolean
  /** Whom the link to the console signs in; created if needed. */
  readonly as?: string | undefined
  readonly kept: DevFolder
  readonly output: Output
  /** The plugin under development. */
  readonly plugin: { readonly name: string | undefined; readonly definition: PluginDefinition | undefined }
}

/** A host in this process that prints its log and has signed-in users. */
export interface RunningHost extends AsyncDisposable {
  readonly url: string
  /** A new link to the console, which signs in. */
  readonly signInLink: () => string
  readonly api: HostApi
  /** Output of a plugin. */
  readonly linesOf: (plugin: string) => PluginLines
}

export async function startHost(options: HostOptions): Promise<RunningHost> {
  const { folder, port, inspectPort, verbose, kept, output, plugin, as = administrator } = options
  // Loaded on demand, so that `--help` does not load the server.
  const { develop } = await import('@pergola/server')
  const written = new Map<string, PluginLines>()
  const linesOf = (name: string) => {
    const known = written.get(name) ?? pluginLines(options, name)
    written.set(name, known)
    return known
  }
  const states = createVersionStates()
  let api: HostApi | undefined
  await using stack = new AsyncDisposableStack()
  const host = stack.use(
    await develop({
      database: kept.database,
      sealingKey: kept.sealingKey,
      port,
      administrator,
      signInAs: as,
      onSpentLink: () => output.say('host', [`a new link to sign in: ${host.signInLink()}`]),
      ...(inspectPort !== undefined && { inspectPort }),
      isInspected: (name) => [undefined, name].includes(plugin.name),
      onPluginState: (name, digest, state) => states.tell(name, digest, state),
      onPluginLine: (name, line) => linesOf(name).take(line),
      log: createHostLines({
        folder,
        verbose,
        say: output.say,
        roles: () => plugin.definition?.roles ?? [],
        review: async (user, request) => api?.review(user, request),
        failureOf: async (id) => firstFound([...written.values()].map((lines) => lines.failureOf(id))),
      }),
    }),
  )
  const { url, signInLink } = host
  let token = await host.signIn(administrator)
  api = createHostApi({ url, token: () => token, states })
  const people = new Set([signedIn, as].filter((user) => user !== administrator))
  for (const user of people) await api.addUser(user)
  const signIn = async () => {
    token = await host.signIn(administrator)
    const tokens: Record<string, string | null> = { [administrator]: token }
    for (const user of people) tokens[user] = await host.signIn(user)
    writePeople(folder, { url, pid: process.pid, tokens: { ...tokens, [anonymous]: null } })
  }
  await signIn()
  stack.defer(() => forgetPeople(folder))
  const again = setInterval(() => void signIn().catch(() => {}), signInAgainMs)
  stack.defer(() => clearInterval(again))
  const running = stack.move()
  return { url, signInLink, api, linesOf, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function pluginLines({ folder, output, inspectPort }: HostOptions, name: string): PluginLines {
  return createPluginLines({
    folder,
    say: (lines) => output.say(name, lines),
    onPortTaken: () =>
      output.say('debug', [`port ${inspectPort} is in use by another program; --inspect-port chooses another`], 'bad'),
  })
}

async function firstFound<Value>(sought: readonly Promise<Value | undefined>[]): Promise<Value | undefined> {
  for (const value of sought) {
    const found = await value
    if (found !== undefined) return found
  }
  return undefined
}
