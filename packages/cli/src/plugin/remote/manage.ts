import { setTimeout as sleep } from 'node:timers/promises'
import { coreResources, renderPlan, type Plan, type Plugin } from '@pergola/api'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect, type Connection } from '../../server/connect.ts'
import type { ServerOptions } from '../../server/server-options.ts'
import { isConfirmed } from '../../terminal/ask.ts'
import { CommandFault } from '../../terminal/command-fault.ts'
import { exitCodes, type ExitCode } from '../../terminal/exit-codes.ts'
import { showingProgress } from '../../terminal/progress.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { visible } from '../../terminal/visible.ts'
import { awaitStarted } from './await-started.ts'
import { findPlugin, pluginsPath } from './plugin-object.ts'

const lookMs = 300
const planned = '  a plan, nothing has been changed'

export interface ManageOptions extends ServerOptions {
  readonly plan?: boolean
  readonly yes?: boolean
  readonly wait: number
}

/** Enables or disables a plugin. APIs of a disabled plugin answer 503. */
export async function switchPlugin(
  context: CommandContext,
  { name, enabled }: { readonly name: string; readonly enabled: boolean },
  options: ManageOptions,
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const dryRun = options.plan ?? false
  const { spec } = await attempting({ verb: 'patch', resource: 'plugins', name }, () =>
    client.resource(coreResources.plugins).patch(name, { spec: { enabled } }, { dryRun }),
  )
  if (dryRun) return terminal.print([`  plugin ${name} would be ${enabled ? 'enabled' : 'disabled'}`, planned])
  if (!enabled) return terminal.print([`  plugin ${name} disabled`, `  next      pergola plugin enable ${name}`])
  const { version, digest, restarts = 0 } = spec
  const words = await awaitStarted(terminal, { client, name, version, digest, restarts, seconds: options.wait })
  await terminal.print([`  plugin ${name} enabled, ${words}`])
}

/** Restarts the plugin replica by replica, without downtime. */
export async function restart(
  context: CommandContext,
  name: string,
  options: ServerOptions & { readonly wait: number },
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const attempt = { verb: 'create', resource: 'plugins/restart.console.api.platform.run', name }
  const { spec } = (await attempting(attempt, () =>
    client.call({ method: 'POST', path: `${pluginsPath}/${encodeURIComponent(name)}/restart` }),
  )) as Plugin
  const { version, digest, restarts = 0 } = spec
  const words = await awaitStarted(terminal, { client, name, version, digest, restarts, seconds: options.wait })
  await terminal.print([`  plugin ${name} restarted, ${words}`, `  next      pergola plugin logs ${name}`])
}

/** Rolls back to the previous version, with the guarantees of an upgrade. */
export async function rollBack(
  context: CommandContext,
  name: string,
  options: ManageOptions,
): Promise<ExitCode | void> {
  const { terminal } = context
  const connection = await connect(context, options)
  const { client, host } = connection
  const { spec } = await installed(connection, name)
  const { previous } = spec
  if (!previous) throw new CommandFault(`there is no version of ${name} before ${spec.version} to go back to`)
  const attempt = { verb: 'create', resource: 'plugins/rollback.console.api.platform.run', name }
  const post = (query: string) =>
    attempting(attempt, () =>
      client.call({ method: 'POST', path: `${pluginsPath}/${encodeURIComponent(name)}/rollback${query}` }),
    )
  const { sections } = (await post('?plan=true')) as Plan
  await terminal.print([`  ${name} ${spec.version} -> ${previous.version}`, renderPlan(sections)])
  if (options.plan) return terminal.print([planned])
  if (!(await isConfirmed(terminal, { question: `Go back on ${host}?`, yes: options.yes }))) return refused(terminal)
  await post('')
  const { version, digest } = previous
  const words = await awaitStarted(terminal, { client, name, version, digest, seconds: options.wait })
  await terminal.print([
    `  ${version} ${words}`,
    `  next      pergola plugin rollback ${name}  goes back to ${spec.version}`,
  ])
}

export interface UninstallOptions extends ManageOptions {
  readonly purge?: boolean
}

/** Uninstalls the plugin. Its objects are kept until they are purged. */
export async function uninstall(
  context: CommandContext,
  name: string,
  options: UninstallOptions,
): Promise<ExitCode | void> {
  const { terminal } = context
  const { purge = false, wait } = options
  const connection = await connect(context, options)
  const { client, host } = connection
  await installed(connection, name)
  const action = purge ? 'purge' : 'uninstall'
  const attempt = { verb: 'create', resource: `plugins/${action}.console.api.platform.run`, name }
  const post = (query: string) =>
    attempting(attempt, () =>
      client.call({ method: 'POST', path: `${pluginsPath}/${encodeURIComponent(name)}/${action}${query}` }),
    )
  const { sections } = (await post('?plan=true')) as Plan
  await terminal.print([`  ${name}`, renderPlan(sections)])
  if (options.plan) return terminal.print([planned])
  const question = purge ? `Delete ${name} and all it has stored on ${host}?` : `Uninstall ${name} on ${host}?`
  if (!(await isConfirmed(terminal, { question, yes: options.yes }))) return refused(terminal)
  await post('')
  const words = await untilGone(terminal, { connection, name, purge, seconds: wait })
  const next = purge ? 'pergola plugin list' : `pergola plugin uninstall ${name} --purge  deletes what it has left`
  await terminal.print([`  plugin ${name} ${words}`, `  next      ${next}`])
}

interface Leaving {
  readonly connection: Connection
  readonly name: string
  readonly purge: boolean
  readonly seconds: number
}

async function untilGone(terminal: Terminal, { connection, name, purge, seconds }: Leaving): Promise<string> {
  const until = Date.now() + seconds * 1_000
  let words = 'it is being ended'
  using _ = showingProgress(terminal, () => `${name}: ${words}`)
  for (;;) {
    const plugin = await findPlugin(connection.client, name)
    if (!plugin) return 'purged'
    const { reason, message } = plugin.status ?? {}
    if (message !== undefined) words = visible(message)
    if (!purge && reason === 'Uninstalled') return `uninstalled: ${words}`
    if (Date.now() > until) throw new CommandFault(`${name} is not gone after ${seconds} s: ${words}`)
    await sleep(lookMs)
  }
}

async function installed({ client }: Connection, name: string): Promise<Plugin> {
  return attempting({ verb: 'get', resource: 'plugins', name }, () => client.resource(coreResources.plugins).get(name))
}

async function refused(terminal: Terminal): Promise<ExitCode> {
  await terminal.print(['  nothing has been changed'])
  return exitCodes.failed
}
