import { readFileSync } from 'node:fs'
import type { Patch } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { fullName } from '../server/resource-names.ts'
import { findResource, readResources } from '../server/resources.ts'
import { CommandFault, usedWrongly } from '../terminal/command-fault.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import { renderError } from '../terminal/render-error.ts'
import { visible } from '../terminal/visible.ts'
import { whyUnreadable } from '../terminal/why-unreadable.ts'
import { changedLines } from './changed-lines.ts'
import { fieldPatch } from './field-patch.ts'
import { readSchema } from './read-schema.ts'

export interface PatchOptions extends ServerOptions {
  readonly set: readonly string[]
  readonly remove: readonly string[]
  readonly patch?: string
  readonly patchFile?: string
  readonly status?: boolean
  readonly plan?: boolean
}

/** Changes single fields of objects. */
export async function patchObjects(
  context: CommandContext,
  { resource: named, names }: { readonly resource: string; readonly names: readonly string[] },
  options: PatchOptions,
): Promise<ExitCode> {
  const { terminal } = context
  const { status = false, plan = false } = options
  const written = await writtenPatch(context, options)
  const { client } = await connect(context, options)
  const resource = await attempting({ verb: 'get', resource: '/apis' }, async () =>
    findResource(await readResources(client), named),
  )
  const patch = written ?? fieldPatch(options, await readSchema(client, resource))
  const objects = client.resource(resource)
  let code: ExitCode = exitCodes.done
  for (const name of names) {
    try {
      const attempt = { verb: 'patch', resource: `${fullName(resource)}${status ? '/status' : ''}`, name }
      await attempting(attempt, async () => {
        const before = await objects.get(name)
        const how = { dryRun: plan }
        const after = await (status ? objects.patchStatus(name, patch, how) : objects.patch(name, patch, how))
        await terminal.print(changedLines(terminal, { resource, before, after, plan }))
      })
    } catch (error) {
      if (names.length === 1) throw error
      const { lines, exitCode } = renderError(error)
      terminal.tell([`${resource.singular} ${visible(name)}: ${lines[0] ?? ''}`, ...lines.slice(1)])
      code = exitCode
    }
  }
  if (plan) await terminal.print(['  a plan, nothing has been changed'])
  return code
}

/** A patch as JSON; undefined when `--set` and `--remove` say what to change. */
async function writtenPatch({ terminal }: CommandContext, options: PatchOptions): Promise<Patch | undefined> {
  const { set, remove, patch, patchFile } = options
  const given = [set.length + remove.length > 0, patch !== undefined, patchFile !== undefined].filter(Boolean)
  if (given.length !== 1) throw usedWrongly('say what to change, in one way: --set and --remove, -p, or --patch-file')
  if (patch !== undefined) return parsed(patch, 'the patch')
  if (patchFile === undefined) return undefined
  try {
    return parsed(patchFile === '-' ? await terminal.readInput() : readFileSync(patchFile, 'utf8'), patchFile)
  } catch (error) {
    if (error instanceof CommandFault) throw error
    throw new CommandFault(`${patchFile} cannot be read: ${whyUnreadable(error)}`)
  }
}

function parsed(text: string, where: string): Patch {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null) return value as Patch
  } catch (error) {
    throw usedWrongly(`${where} is not JSON: ${(error as Error).message}`)
  }
  throw usedWrongly(`${where} is neither an object, which is a merge patch, nor an array, which is a JSON Patch`)
}
