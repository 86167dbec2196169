import type { Client } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { endOwnSession, ownSessions, type ListedSession } from '../server/session.ts'
import { usedWrongly } from '../terminal/command-fault.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { fittedTable } from '../terminal/fitted-table.ts'
import { shortTime } from '../terminal/times.ts'
import { visible } from '../terminal/visible.ts'

export interface SessionListOptions extends ServerOptions {
  readonly output: Output
  readonly user?: string
  readonly all?: true
}

export interface SessionEndOptions extends ServerOptions {
  readonly user?: string
  readonly all?: true
  readonly plan?: true
}

const ofAll = '/apis/api.platform.run/v1alpha1/sessions'

/** One's own sessions, those of another user, or those of everybody. */
export async function listSessions(context: CommandContext, options: SessionListOptions): Promise<void> {
  const { terminal } = context
  const { user, all, output } = options
  if (user !== undefined && all) throw usedWrongly('--user and --all exclude each other; leave one out')
  const { client } = await connect(context, options)
  const { items } = await sessionsOf(client, options)
  if (output === 'json') return printJson(terminal, { items })
  if (output === 'name') return terminal.print(items.map(({ id }) => id))
  const rows = items.map((session) => [
    session.id + (session.current ? ' (this one)' : ''),
    session.username,
    shortTime(session.createdAt),
    shortTime(session.usedAt),
    shortTime(session.expiresAt),
    session.address,
    visible(session.agent),
  ])
  await terminal.print(fittedTable(terminal, { heads: ['ID', 'USER', 'SINCE', 'USED', 'UNTIL', 'FROM', 'WITH'], rows }))
}

/** Ends one session, or all of another user. */
export async function endSessions(
  context: CommandContext,
  id: string | undefined,
  options: SessionEndOptions,
): Promise<void> {
  const { user, all, plan: dryRun = false } = options
  if ((id === undefined) !== (all === true)) throw usedWrongly('name a session, or add --all')
  if (user === undefined && all)
    throw usedWrongly('--all needs --user <name>; your own password ends all others of yours')
  if (user === undefined && dryRun) throw usedWrongly('--plan is for sessions of others; add --user <name>')
  const { client } = await connect(context, options)
  if (user === undefined) {
    await attempting({ verb: 'delete', resource: '/auth/sessions' }, () => endOwnSession(client, id ?? ''))
    return context.terminal.print([`  session ${id} ended`])
  }
  const query = new URLSearchParams({ ...(id !== undefined && { id }), ...(dryRun && { dryRun: 'true' }) })
  const path = `${pathOf(user)}?${query.toString()}`
  const { ended } = (await attempting({ verb: 'delete', resource: 'users/sessions', name: user }, () =>
    client.call({ method: 'DELETE', path }),
  )) as { readonly ended: number }
  const words = `${ended} ${ended === 1 ? 'session' : 'sessions'} of ${user}`
  await context.terminal.print(
    dryRun
      ? [`  ${words} would end`, '  a plan, nothing has been changed']
      : [`  ${words} ended; tokens of ${user} are still accepted`],
  )
}

async function sessionsOf(
  client: Client,
  { user, all }: SessionListOptions,
): Promise<{ readonly items: readonly ListedSession[] }> {
  if (user === undefined && !all) return ownSessions(client)
  const [path, right] =
    user === undefined
      ? ([ofAll, { verb: 'list', resource: 'sessions.api.platform.run' }] as const)
      : ([pathOf(user), { verb: 'get', resource: 'users/sessions', name: user }] as const)
  return (await attempting(right, () => client.call({ method: 'GET', path }))) as {
    readonly items: readonly ListedSession[]
  }
}

function pathOf(user: string): string {
  return `/api/v1alpha1/users/${encodeURIComponent(user)}/sessions`
}
