import type { CommandContext } from '../command-context.ts'
import { fittedTable } from '../terminal/fitted-table.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { visible } from '../terminal/visible.ts'
import { loginNamed } from './choose-login.ts'
import { clientOf } from './connect.ts'
import { readServers, serversFileOf, withoutServer, writeServers } from './servers-file.ts'
import { endSession } from './session.ts'

/** Lists the stored logins, without their tokens. */
export async function listContexts(
  { terminal, variables }: CommandContext,
  { output }: { readonly output: Output },
): Promise<void> {
  const { context: current, servers } = readServers(serversFileOf(variables))
  const items = servers.map(({ context, url, username, kind }) => ({
    context,
    url,
    username,
    kind,
    isCurrent: context === current,
  }))
  if (output === 'json') return printJson(terminal, { items })
  if (output === 'name') return terminal.print(items.map(({ context }) => context))
  if (items.length === 0) return terminal.tell(['  not signed in on any server', '  next      pergola login <url>'])
  const rows = items.map(({ context, url, username, kind, isCurrent }) => [
    visible(context),
    isCurrent ? 'yes' : '',
    visible(username),
    url,
    kind,
  ])
  const heads = ['CONTEXT', 'CURRENT', 'USER', 'SERVER', 'BY']
  await terminal.print(fittedTable(terminal, { heads, rows }))
  await terminal.hint('pergola context use <context>')
}

/** Makes a stored login the default. */
export async function useContext({ terminal, variables }: CommandContext, context: string): Promise<void> {
  const file = serversFileOf(variables)
  const known = readServers(file)
  const { username, url } = loginNamed(known, context)
  writeServers(file, { ...known, context })
  await terminal.print([`  commands are sent as ${visible(username)} to ${url} now`])
}

/** Removes a login from this machine, even if its server is away. */
export async function removeContext(
  command: CommandContext,
  context: string,
  { plan = false }: { readonly plan?: boolean },
): Promise<void> {
  const { terminal, variables } = command
  const file = serversFileOf(variables)
  const known = readServers(file)
  const login = loginNamed(known, context)
  const who = `${visible(login.username)} on ${login.url}`
  if (plan) return terminal.print([`  would remove the login of ${who}; nothing has been changed`])
  const words = login.kind === 'session' ? await endedWords(command, login) : 'the token is still valid on the server'
  writeServers(file, withoutServer(known, context))
  await terminal.print([`  context ${visible(context)} removed: ${who}; ${words}`])
}

async function endedWords({ version }: CommandContext, login: Parameters<typeof clientOf>[1]): Promise<string> {
  try {
    await endSession(await clientOf(version, login))
    return 'its session was ended'
  } catch {
    return 'the server did not answer, so its session stays valid until it expires'
  }
}
