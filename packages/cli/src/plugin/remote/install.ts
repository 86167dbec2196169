import { renderPlan, type Plan, type Plugin } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect, type Connection } from '../../server/connect.ts'
import type { ServerOptions } from '../../server/server-options.ts'
import { isConfirmed } from '../../terminal/ask.ts'
import { CommandFault } from '../../terminal/command-fault.ts'
import { exitCodes, type ExitCode } from '../../terminal/exit-codes.ts'
import { awaitStarted } from './await-started.ts'
import { aboutWords } from './about-words.ts'
import { findPlugin, pluginsPath } from './plugin-object.ts'
import { readLocalPackage, type LocalPackage } from './read-manifest.ts'

/** Upload timeout: packages may be large and connections slow. */
const sendingMs = 10 * 60_000

export interface InstallOptions extends ServerOptions {
  readonly plan?: boolean
  readonly yes?: boolean
  readonly approve?: readonly string[]
  readonly wait: number
}

/** Installs a new plugin. */
export async function install(
  context: CommandContext,
  file: string,
  options: InstallOptions,
): Promise<ExitCode | void> {
  const taken = await compared(context, file, options)
  const { sent, installed } = taken
  if (installed && installed.spec.removal === undefined && installed.spec.digest !== sent.digest) {
    throw new CommandFault(`${sent.name} ${installed.spec.version} is installed already`, {
      next: `pergola plugin upgrade ${file} --plan`,
    })
  }
  return take(context, taken, options)
}

/** Replaces the installed version without downtime. */
export async function upgrade(
  context: CommandContext,
  file: string,
  options: InstallOptions,
): Promise<ExitCode | void> {
  const taken = await compared(context, file, options)
  const { sent, installed } = taken
  if (!installed || installed.spec.removal !== undefined) {
    throw new CommandFault(`${sent.name} is not installed`, { next: `pergola plugin install ${file}` })
  }
  return take(context, taken, options)
}

interface Taken {
  readonly connection: Connection
  readonly sent: LocalPackage
  readonly installed: Plugin | undefined
}

/** Reads a package and the installed plugin of the same name. */
async function compared(context: CommandContext, file: string, options: ServerOptions): Promise<Taken> {
  const sent = await readLocalPackage(file)
  const connection = await connect(context, options)
  const attempt = { verb: 'get', resource: 'plugins', name: sent.name }
  const installed = await attempting(attempt, () => findPlugin(connection.client, sent.name))
  return { connection, sent, installed }
}

async function take(context: CommandContext, taken: Taken, options: InstallOptions): Promise<ExitCode | void> {
  const { terminal } = context
  const { connection, sent, installed } = taken
  const { client, host } = connection
  const { name, version, digest } = sent
  const isUpgrade = installed !== undefined && installed.spec.removal === undefined
  if (isUpgrade && installed.spec.digest === digest) {
    return terminal.print([`  ${name} ${version} is installed already: ${digest.slice(0, 19)}…`])
  }
  const plan = await planOf(client, sent)
  const title = isUpgrade ? `${name} ${installed.spec.version} -> ${version}` : `${name} ${version}`
  await terminal.print([
    `  ${title}`,
    renderPlan(plan.sections, plan.from === undefined ? aboutWords(plan.plugin) : []),
    ...lookLines(plan),
  ])
  if (options.plan) return terminal.print(['  a plan, nothing has been changed', `  next      ${nextOf(taken, plan)}`])
  const approved = await approvedOf(context, plan, {
    ...options,
    question: `${isUpgrade ? 'Upgrade' : 'Install'} on ${host}?`,
  })
  if (!approved) {
    await terminal.print(['  nothing has been changed'])
    return exitCodes.failed
  }
  const began = Date.now()
  await send(
    client,
    sent,
    approved.map((one): readonly [string, string] => ['approve', one]),
  )
  const words = await awaitStarted(terminal, { client, name, version, digest, seconds: options.wait })
  await terminal.print([
    `  ${version} ${words}  ${((Date.now() - began) / 1_000).toFixed(1)} s`,
    ...closing(taken, isUpgrade),
  ])
}

/** Suggests commands that list the nonconforming objects. */
function lookLines({ sections }: Plan): readonly string[] {
  return sections.flatMap(({ items }) =>
    items.flatMap((item) =>
      item.code === 'nonconforming'
        ? [`  look      pergola list ${item.values.resource} --nonconforming, once it is there`]
        : [],
    ),
  )
}

/** Confirming at the prompt approves everything shown. Without a prompt, only approvals given by name count. */
async function approvedOf(
  { terminal }: CommandContext,
  { approvals }: Plan,
  { approve, yes, question }: InstallOptions & { readonly question: string },
): Promise<readonly string[] | undefined> {
  const missing = approvals.filter((one) => !approve?.includes(one))
  if (missing.length > 0 && (approve || yes || !terminal.canAsk)) {
    throw new CommandFault(`not approved: ${missing.join('; ')}`, {
      next: `add ${missing.map(approveOption).join(' ')}`,
    })
  }
  if (approve) return approve
  return (await isConfirmed(terminal, { question, yes })) ? approvals : undefined
}

function approveOption(name: string): string {
  return `--approve '${name.replaceAll("'", String.raw`'\''`)}'`
}

function nextOf({ sent, installed }: Taken, { approvals }: Plan): string {
  const isUpgrade = installed !== undefined && installed.spec.removal === undefined
  return ['pergola plugin', isUpgrade ? 'upgrade' : 'install', sent.file, ...approvals.map(approveOption)].join(' ')
}

function closing({ sent: { name }, installed }: Taken, isUpgrade: boolean): readonly string[] {
  if (!isUpgrade) return [`  next      pergola plugin settings ${name}, and pergola role list`]
  return [`  back to ${installed?.spec.version}:  pergola plugin rollback ${name}   (kept until the next upgrade)`]
}

async function planOf(client: Client, sent: LocalPackage): Promise<Plan> {
  return (await send(client, sent, [['plan', 'true']])) as Plan
}

async function send(
  client: Client,
  { bytes }: LocalPackage,
  parameters: readonly (readonly [string, string])[],
): Promise<unknown> {
  const query = new URLSearchParams(parameters.map(([key, value]): [string, string] => [key, value]))
  return attempting({ verb: 'create', resource: 'plugins/packages.console.api.platform.run', name: '-' }, () =>
    client.call({
      method: 'POST',
      path: `${pluginsPath}/-/packages?${query.toString()}`,
      headers: { 'content-type': 'application/gzip' },
      body: new Uint8Array(bytes),
      timeoutMs: sendingMs,
    }),
  )
}
