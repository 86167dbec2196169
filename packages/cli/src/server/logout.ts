import type { CommandContext } from '../command-context.ts'
import { clearWordCache } from '../completion/word-cache.ts'
import { clientOf, notSignedIn, wantedLogin } from './connect.ts'
import type { ServerOptions } from './server-options.ts'
import { readServers, serversFileOf, withoutServer, writeServers } from './servers-file.ts'
import { hostOf, serverUrl } from './server-url.ts'
import { endSession } from './session.ts'
import { CommandFault } from '../terminal/command-fault.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

export interface LogoutOptions extends ServerOptions {
  readonly plan?: boolean
}

/** Ends the session on the server first: a session that stays open unnoticed is worse than an error. */
export async function logout(context: CommandContext, options: LogoutOptions): Promise<void> {
  const { terminal, variables } = context
  const file = serversFileOf(variables)
  const known = readServers(file)
  const { named, login: server } = wantedLogin(known, variables, options)
  if (!server) {
    if (named !== undefined) throw notSignedIn(serverUrl(named, { insecureHttp: true }))
    throw new CommandFault('not signed in on any server', { exitCode: exitCodes.notSignedIn })
  }
  const host = hostOf(server.url)
  if (options.plan) {
    const does = server.kind === 'session' ? 'the session of' : 'the token, which stays as it is on the server, of'
    return terminal.print([`  would end ${does} ${server.username} on ${host}; nothing has been changed`])
  }
  let words = 'The token was removed from this machine; it is still valid on the server'
  if (server.kind === 'session') {
    const client = await clientOf(context.version, server)
    words = (await endSession(client)) ? 'The session was ended' : 'The session had already ended'
  }
  const left = withoutServer(known, server.context)
  writeServers(file, left)
  clearWordCache(variables)
  const next = left.context === undefined ? `pergola login ${server.url}` : `${left.context} is the default now`
  await terminal.print([`  ${words}: ${server.username} on ${host}.`, `  next      ${next}`])
}
