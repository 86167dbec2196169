import { coreResources, isApiError } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { readResources } from '../server/resources.ts'
import { heldRoles, type HeldRole } from '../server/session.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { reviewLines, type Explanation } from './review-lines.ts'
import { reviewedRequest, type Question } from './reviewed-request.ts'

export interface CanIOptions extends ServerOptions {
  readonly output: Output
}

/** Checks whether the caller or another user may do something, and why. Exits with 0 for yes and 1 for no. */
export async function canI(context: CommandContext, question: Question, options: CanIOptions): Promise<ExitCode> {
  const { terminal } = context
  // `--as` names the user to check here, not the identity of the request.
  const { as, ...which } = options
  const { client } = await connect(context, which)
  const known = await attempting({ verb: 'get', resource: '/apis' }, () => readResources(client))
  const request = reviewedRequest(question, known)
  const attempt = { verb: 'create', resource: 'users/accessreviews.api.platform.run', name: as }
  const [review, held] = await attempting(attempt, () =>
    Promise.all([
      client.call({
        method: 'POST',
        path: '/apis/api.platform.run/v1alpha1/accessreviews',
        body: { ...(as !== undefined && { user: as }), requests: [request] },
      }),
      as === undefined ? heldRoles(client) : rolesOf(client, as),
    ]),
  )
  if (as !== undefined) await assertExists(client, as)
  const [explanation] = (review as { readonly items: readonly [Explanation] }).items
  if (options.output === 'json') await printJson(terminal, { ...explanation, ...(held && { holds: held }) })
  else await terminal.print(reviewLines({ explanation, held, verb: question.verb }, terminal.paint))
  return explanation.allowed ? exitCodes.done : exitCodes.failed
}

/** Without this, a mistyped user looks like one without roles. A caller who may not read users gets the review alone. */
async function assertExists(client: Client, user: string): Promise<void> {
  await attempting({ verb: 'get', resource: 'users', name: user }, async () => {
    try {
      await client.resource(coreResources.users).get(user)
    } catch (error) {
      if (!isApiError(error) || error.reason !== 'Forbidden') throw error
    }
  })
}

/** Undefined when the caller may not read role bindings. */
async function rolesOf(client: Client, user: string): Promise<readonly HeldRole[] | undefined> {
  try {
    const found = await client
      .resource(coreResources.roleBindings)
      .list({ fieldSelector: [{ key: 'subjects.name', op: '=', value: user }], size: 100 })
    const given = found.items.map(({ metadata, roleRef }) => ({ name: roleRef.name, binding: metadata.name }))
    return [{ name: 'authenticated' }, ...given]
  } catch (error) {
    if (isApiError(error) && error.reason === 'Forbidden') return undefined
    throw error
  }
}
