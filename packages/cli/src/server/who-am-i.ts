import type { CommandContext } from '../command-context.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { shortTime } from '../terminal/times.ts'
import { attempting } from './attempting.ts'
import { visible } from '../terminal/visible.ts'
import { connect } from './connect.ts'
import type { ServerOptions } from './server-options.ts'
import { usualContext } from './servers-file.ts'
import { givenRoles, heldRoles, identityOf } from './session.ts'

export interface WhoAmIOptions extends ServerOptions {
  readonly output: Output
}

export async function whoAmI(context: CommandContext, options: WhoAmIOptions): Promise<void> {
  const { terminal } = context
  const { client, token, url, known } = await connect(context, options)
  if (token === undefined) return printNobody(context, options, url)
  const [{ username, kind, expiresAt }, roles] = await attempting({ verb: 'get', resource: '/auth/sessions' }, () =>
    Promise.all([identityOf(client, token), heldRoles(client)]),
  )
  const given = givenRoles(roles)
  if (options.output === 'json') {
    return printJson(terminal, {
      username,
      roles: given,
      server: url,
      context: known?.context,
      kind,
      ...(expiresAt && { expiresAt }),
    })
  }
  const held = given.map(({ name, binding }) => `${name} (rolebinding ${binding})`)
  const until = expiresAt === undefined ? 'the token expires' : `${shortTime(expiresAt)}, later when it is used`
  await terminal.print([
    `  user      ${username ?? 'unknown, because a token does not reveal its owner'}`,
    `  roles     ${held.join(', ') || 'none but those of everybody who is signed in'}`,
    `  server    ${url}${known && known.context !== usualContext(url) ? ` (context ${visible(known.context)})` : ''}`,
    `  until     ${until}`,
  ])
}

function printNobody({ terminal }: CommandContext, { output }: WhoAmIOptions, url: string): Promise<void> {
  if (output === 'json') return printJson(terminal, { roles: [], server: url, kind: 'nobody' })
  return terminal.print(['  user      nobody (not signed in)', `  server    ${url}`])
}
