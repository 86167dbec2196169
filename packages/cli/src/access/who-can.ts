import { coreResources, isApiError } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { readResources } from '../server/resources.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { fittedTable } from '../terminal/fitted-table.ts'
import { visible } from '../terminal/visible.ts'
import { reviewedRequest, type Question } from './reviewed-request.ts'

const mostUsers = 10
const everybody: Readonly<Record<string, string>> = {
  anonymous: 'everybody',
  authenticated: 'everybody who is signed in',
}

export interface WhoCanOptions extends ServerOptions {
  readonly output: Output
}

interface AllowingRole {
  readonly name: string
  readonly bindings: number
  readonly isEstimate?: boolean
}

/** Lists the roles that allow something, and their holders. */
export async function whoCan(
  context: CommandContext,
  question: Question,
  options: WhoCanOptions,
): Promise<ExitCode | void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const known = await attempting({ verb: 'get', resource: '/apis' }, () => readResources(client))
  const body = reviewedRequest(question, known)
  const attempt = { verb: 'create', resource: 'whocan.api.platform.run' }
  const { items } = (await attempting(attempt, () =>
    client.call({ method: 'POST', path: '/apis/api.platform.run/v1alpha1/whocan', body: { requests: [body] } }),
  )) as { readonly items: readonly { readonly roles: readonly AllowingRole[] }[] }
  const roles = items[0]?.roles ?? []
  const told = await Promise.all(roles.map(async (role) => ({ ...role, users: await usersOf(client, role) })))
  if (options.output === 'json') return printJson(terminal, { roles: told })
  if (told.length === 0) {
    await terminal.print(['  nobody: no role allows it'])
    return exitCodes.failed
  }
  const rows = told.map(({ name, bindings, isEstimate, users }) => [
    visible(name),
    `${isEstimate ? 'about ' : ''}${bindings}`,
    everybody[name] ?? usersWords(users),
  ])
  await terminal.print(fittedTable(terminal, { heads: ['ROLE', 'BINDINGS', 'USERS'], rows }))
  await terminal.hint('pergola grant <user> <role>')
}

/** Undefined when the caller may not read role bindings. */
async function usersOf(client: Client, { name, bindings }: AllowingRole): Promise<readonly string[] | undefined> {
  if (bindings === 0) return []
  try {
    const fieldSelector = [{ key: 'roleRef.name', op: '=' as const, value: name }]
    const { items } = await client.resource(coreResources.roleBindings).list({ fieldSelector, size: mostUsers + 1 })
    return [...new Set(items.flatMap(({ subjects }) => subjects.map((subject) => subject.name)))]
  } catch (error) {
    if (isApiError(error) && error.reason === 'Forbidden') return undefined
    throw error
  }
}

function usersWords(users: readonly string[] | undefined): string {
  if (!users) return '(you may not see them)'
  const shown = users.slice(0, mostUsers).map(visible)
  return users.length > shown.length ? `${shown.join(', ')} and more` : shown.join(', ')
}
