import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect, type ServerOptions } from '../server/connect.ts'
import { findResource, fullName, readResources } from '../server/resources.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'

export interface GetOptions extends ServerOptions {
  readonly output: Output
}

/** Prints one stored object. */
export async function get(
  context: CommandContext,
  { resource: named, name }: { readonly resource: string; readonly name: string },
  { output, ...options }: GetOptions,
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const resource = await attempting({ verb: 'get', resource: '/apis' }, async () =>
    findResource(await readResources(client), named),
  )
  const attempt = { verb: 'get', resource: fullName(resource), name }
  const object = await attempting(attempt, () => client.resource(resource).get(name))
  if (output === 'json') return printJson(terminal, object)
  if (output === 'name') return terminal.print([object.metadata.name])
  const { yamlText } = await import('./yaml-text.ts')
  await terminal.write(yamlText(object))
}
