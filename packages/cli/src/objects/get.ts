import type { ApiObject } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { fullName } from '../server/resource-names.ts'
import { findResource, readResources } from '../server/resources.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { renderError } from '../terminal/render-error.ts'
import { visible } from '../terminal/visible.ts'
import { inOrder } from './in-order.ts'
import { writerFor } from './writer-for.ts'

const atATime = 8

export interface GetOptions extends ServerOptions {
  readonly output?: Output
}

const allObjects = { where: [], anyOf: [], label: [], sort: [], expand: [] }

/** Prints stored objects. A missing one does not stop the others. */
export async function get(
  context: CommandContext,
  { resource: named, names }: { readonly resource: string; readonly names: readonly string[] },
  { output: given, ...options }: GetOptions,
): Promise<ExitCode | void> {
  if (names.length === 0) {
    const { list } = await import('./list.ts')
    return list(context, named, { ...options, ...allObjects, output: given ?? 'table' })
  }
  const output = given ?? 'yaml'
  const { terminal } = context
  const { client } = await connect(context, options)
  const resource = await attempting({ verb: 'get', resource: '/apis' }, async () =>
    findResource(await readResources(client), named),
  )
  const read = (name: string) =>
    attempting({ verb: 'get', resource: fullName(resource), name }, () => client.resource(resource).get(name))
  const [first = ''] = names
  if (names.length === 1 && output === 'json') {
    await printJson(terminal, await read(first))
    return exitCodes.done
  }
  const writer = await writerFor({ terminal, client, resource }, output)
  let code: ExitCode = exitCodes.done
  const work = async (
    name: string,
  ): Promise<{ readonly name: string; readonly object?: ApiObject; readonly error?: unknown }> => {
    try {
      return { name, object: await read(name) }
    } catch (error) {
      if (names.length === 1) throw error
      return { name, error }
    }
  }
  for await (const { name, object, error } of inOrder(names, atATime, work)) {
    if (object) await writer.add(object)
    else {
      const { lines, exitCode } = renderError(error)
      terminal.tell([`${resource.singular} ${visible(name)}: ${lines[0] ?? ''}`])
      code = exitCode
    }
  }
  await writer.end()
  return code
}
