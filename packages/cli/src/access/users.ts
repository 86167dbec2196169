import { coreResources } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import {
  newPassword,
  tokenWords,
  type KeepTokensOption,
  type NewPassword,
  type PasswordOptions,
} from '../terminal/new-password.ts'
import { CommandFault, usedWrongly } from '../terminal/command-fault.ts'

interface PlanOptions extends ServerOptions {
  readonly plan?: boolean
}

export interface AddUserOptions extends PlanOptions, PasswordOptions {
  readonly displayName?: string
  readonly email?: string
  /** False with `--no-password`. */
  readonly password: boolean
}

const planned = '  a plan, nothing has been changed'

/** Creates a user, with a password unless the user signs in by other means, such as OpenID Connect. */
export async function addUser(context: CommandContext, name: string, options: AddUserOptions): Promise<void> {
  const { terminal } = context
  const { displayName, email, plan: dryRun = false } = options
  const { client, url } = await connect(context, options)
  const chosen = await passwordOf(name, options)
  const spec = { ...(displayName !== undefined && { displayName }), ...(email !== undefined && { email }) }
  await attempting({ verb: 'create', resource: 'users' }, () =>
    client.resource(coreResources.users).create({ metadata: { name }, spec }, { dryRun }),
  )
  if (dryRun) return terminal.print([`  user ${name} would be created`, planned])
  await terminal.print([`  user ${name} created`])
  if (chosen) {
    const { password, made } = chosen
    await setPassword(context, { name, password }, options).catch((error: unknown) => {
      throw new CommandFault(`the password could not be set: ${(error as Error).message}`, {
        next: `pergola user reset-password ${name}`,
      })
    })
    if (made) await terminal.print([`  password  ${password}  (shown only now)`])
  }
  await terminal.print([`  next      pergola grant ${name} <role>, and ${name} signs in by  pergola login ${url}`])
}

/** Checks the password before the user is created. A plan reads a password only from a file. */
async function passwordOf(name: string, options: AddUserOptions): Promise<NewPassword | undefined> {
  if (!options.password || (options.plan && options.passwordFile === undefined)) return undefined
  const chosen = await newPassword(name, options)
  const { passwordFault } = await import('@pergola/server')
  const fault = passwordFault(chosen.password, name)
  if (fault === undefined) return chosen
  throw usedWrongly(`the password ${fault}; nothing has been changed`)
}

export async function switchUser(
  context: CommandContext,
  { name, disabled }: { readonly name: string; readonly disabled: boolean },
  options: PlanOptions,
): Promise<void> {
  const { terminal } = context
  const { plan: dryRun = false } = options
  const { client } = await connect(context, options)
  const ended = disabled ? await tokensOf(client, name) : 0
  await attempting({ verb: 'patch', resource: 'users', name }, () =>
    client.resource(coreResources.users).patch(name, { spec: { disabled } }, { dryRun }),
  )
  const words = disabled ? 'disabled, and signed out everywhere' : 'enabled'
  const would = dryRun ? 'would be ' : ''
  const next = disabled ? `pergola user enable ${name}  lets them sign in again` : `pergola user disable ${name}`
  await terminal.print([
    `  user ${name} ${would}${words}`,
    ...(dryRun ? [planned] : [...tokenWords(ended), `  next      ${next}`]),
  ])
}

/** How many tokens the user has; 0 for callers who may not see them. */
async function tokensOf(client: Client, owner: string): Promise<number> {
  const fieldSelector = [{ key: 'spec.owner', op: '=' as const, value: owner }]
  const page = await client
    .resource(coreResources.tokens)
    .list({ fieldSelector, size: 1 })
    .catch(() => undefined)
  return page?.total ?? 0
}

export type ResetOptions = PlanOptions & PasswordOptions & KeepTokensOption

export async function resetPassword(context: CommandContext, name: string, options: ResetOptions): Promise<void> {
  const { terminal } = context
  if (options.plan) {
    const { client } = await connect(context, options)
    await attempting({ verb: 'get', resource: 'users', name }, () => client.resource(coreResources.users).get(name))
    return terminal.print([`  the password of ${name} would be set, and ${name} signed out everywhere`, planned])
  }
  const { password, made } = await newPassword(name, options)
  const { keepTokens = false } = options
  const { client } = await connect(context, options)
  const ended = keepTokens ? 0 : await tokensOf(client, name)
  await setPassword(context, { name, password, keepTokens }, options)
  await terminal.print([
    ...(made ? [`  password  ${password}  (shown only now)`] : []),
    `  The password of ${name} is set, and ${name} is signed out everywhere.`,
    ...tokenWords(ended),
  ])
}

async function setPassword(
  context: CommandContext,
  { name, ...body }: { readonly name: string; readonly password: string; readonly keepTokens?: boolean },
  options: ServerOptions,
): Promise<void> {
  const { client } = await connect(context, options)
  const path = `/api/v1alpha1/users/${encodeURIComponent(name)}/password`
  await attempting({ verb: 'update', resource: 'users/password', name }, () =>
    client.call({ method: 'PUT', path, body }),
  )
}
