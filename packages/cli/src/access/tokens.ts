import { expiryOf } from '../administration/expiry.ts'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { CommandFault, usedWrongly } from '../terminal/command-fault.ts'
import { printJson } from '../terminal/print-json.ts'
import { fittedTable } from '../terminal/fitted-table.ts'
import { visible } from '../terminal/visible.ts'

const path = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
const resource = 'personalaccesstokens.uc.api.platform.run'

interface TokenObject {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string }
  readonly spec: { readonly description?: string; readonly expiresAt?: string; readonly roles?: readonly string[] }
}

type TokenOutput = 'table' | 'json' | 'token'

export interface CreateTokenOptions extends ServerOptions {
  readonly description?: string
  readonly expires: string
  readonly role: readonly string[]
  readonly output: TokenOutput
}

/** Creates a token for the signed-in user. The response is the only place that contains it. */
export async function createToken(context: CommandContext, options: CreateTokenOptions): Promise<void> {
  const { terminal } = context
  const { description, role, output } = options
  const expiresAt = expiryIn(options.expires)?.toISOString()
  const { client, url } = await connect(context, options)
  const body = {
    ...(description !== undefined && { description }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(role.length > 0 && { roles: role }),
  }
  const made = (await attempting({ verb: 'create', resource }, () =>
    client.call({ method: 'POST', path, body }),
  )) as TokenObject & { readonly token: string }
  if (output === 'json') return printJson(terminal, made)
  if (output === 'token') return terminal.print([made.token])
  const { name } = made.metadata
  await terminal.print([
    `  token     ${made.token}  (shown only now)`,
    `  name      ${name}, ${expiresAt === undefined ? 'does not expire' : `until ${expiresAt}`}`,
  ])
  await terminal.hint(`curl -H 'Authorization: Bearer ...' ${url}/apis/api.platform.run/v1alpha1/users/-`)
}

function expiryIn(text: string): Date | undefined {
  try {
    return expiryOf(text, Date.now())
  } catch (error) {
    throw usedWrongly((error as Error).message)
  }
}

export async function listTokens(
  context: CommandContext,
  options: ServerOptions & { readonly output: 'table' | 'json' | 'name' },
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const { items } = (await attempting({ verb: 'list', resource }, () => client.call({ method: 'GET', path }))) as {
    readonly items: readonly TokenObject[]
  }
  if (options.output === 'json') return printJson(terminal, { items })
  if (options.output === 'name') return terminal.print(items.map(({ metadata }) => metadata.name))
  if (items.length === 0) {
    await terminal.print(['  you have no tokens'])
    return terminal.hint('pergola token create --description <what it is for>')
  }
  const rows = items.map(({ metadata, spec }) => [
    metadata.name,
    visible(spec.description ?? ''),
    spec.roles?.join(', ') ?? 'all of yours',
    spec.expiresAt ?? 'never',
  ])
  await terminal.print(fittedTable(terminal, { heads: ['NAME', 'DESCRIPTION', 'ROLES', 'EXPIRES'], rows }))
}

export async function deleteToken(
  context: CommandContext,
  name: string,
  options: ServerOptions & { readonly plan?: boolean },
): Promise<void> {
  const { client } = await connect(context, options)
  if (options.plan) {
    const { items } = (await attempting({ verb: 'list', resource }, () => client.call({ method: 'GET', path }))) as {
      readonly items: readonly TokenObject[]
    }
    if (!items.some(({ metadata }) => metadata.name === name)) {
      throw new CommandFault(`you have no token "${name}"`, { next: 'pergola token list' })
    }
    return context.terminal.print([`  token ${name} would be deleted`, '  a plan, nothing has been changed'])
  }
  await attempting({ verb: 'delete', resource, name }, () =>
    client.call({ method: 'DELETE', path: `${path}/${encodeURIComponent(name)}` }),
  )
  await context.terminal.print([`  token ${name} deleted; it is no longer accepted`])
}
