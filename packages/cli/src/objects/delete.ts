import { isApiError } from '@pergola/api'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { fullName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { findResource, readResources } from '../server/resources.ts'
import { isConfirmed } from '../terminal/ask.ts'
import { usedWrongly } from '../terminal/command-fault.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import { showingProgress } from '../terminal/progress.ts'
import { visible } from '../terminal/visible.ts'
import { inOrder } from './in-order.ts'
import type { DeletionOptions } from './delete-selected.ts'
import { isSelection } from './selection.ts'

const atATime = 8
const mostNamed = 3

export interface DeleteOptions extends ServerOptions, DeletionOptions {
  readonly filename?: readonly string[]
  readonly recursive?: boolean
  readonly all?: boolean
}

interface Doomed {
  readonly resource: KnownResource
  readonly name: string
}

/** Deletes objects given by name or by files. Asks for confirmation, because deletion is final. */
export async function deleteObjects(
  context: CommandContext,
  named: { readonly resource: string | undefined; readonly names: readonly string[] },
  options: DeleteOptions,
): Promise<ExitCode> {
  const { terminal } = context
  const { plan = false, yes } = options
  const connection = await connect(context, options)
  const { client, host } = connection
  const known = await attempting({ verb: 'get', resource: '/apis' }, () => readResources(client))
  if (isSelection(options) || options.all === true) {
    const { resource, names } = named
    if (resource === undefined || names.length + (options.filename?.length ?? 0) > 0) {
      throw usedWrongly('--where, --label and --all select objects of one resource; leave out names and files')
    }
    const { deleteSelected } = await import('./delete-selected.ts')
    return deleteSelected(context, { connection, resource: findResource(known, resource) }, options)
  }
  const doomed = await doomedBy(known, named, { ...options, readInput: () => terminal.readInput() })
  if (!plan && !(await isConfirmed(terminal, { question: `Delete ${wordsOf(doomed)} on ${host}?`, yes }))) {
    await terminal.print(['  nothing has been deleted'])
    return exitCodes.failed
  }
  let done = 0
  let failed = 0
  using _ = showingProgress(terminal, () => `${done} of ${doomed.length}`)
  const work = async ({ resource, name }: Doomed) => {
    const attempt = { verb: 'delete', resource: fullName(resource), name }
    try {
      return {
        resource,
        name,
        object: await attempting(attempt, () => client.resource(resource).delete(name, { dryRun: plan })),
      }
    } catch (error) {
      if (doomed.length === 1 || isGeneral(error)) throw error
      return { resource, name, error: error as Error }
    }
  }
  for await (const { resource, name, object, error } of inOrder(doomed, atATime, work)) {
    done++
    if (error) {
      failed++
      terminal.tell([`${resource.singular} ${visible(name)}: ${error.message}`])
      continue
    }
    const { finalizers = [] } = object.metadata
    const deleted = terminal.paint('green', plan ? 'would be deleted' : 'deleted')
    const held = `${plan ? 'would wait' : 'waits'} for ${finalizers.join(', ')}`
    const word = finalizers.length === 0 ? deleted : held
    await terminal.print([`  ${resource.singular} ${visible(name)} ${word}`])
  }
  if (plan) await terminal.print([`  ${done - failed} to delete: a plan, nothing has been changed`])
  return failed > 0 ? exitCodes.failed : exitCodes.done
}

/** True for errors that affect every object: no response, or not signed in. */
function isGeneral(error: unknown): boolean {
  if (isApiError(error)) return false
  return (
    !(error instanceof Error) ||
    error.name === 'ConnectionError' ||
    ('exitCode' in error && error.exitCode === exitCodes.notSignedIn)
  )
}

async function doomedBy(
  known: readonly KnownResource[],
  { resource, names }: { readonly resource: string | undefined; readonly names: readonly string[] },
  { readInput, ...options }: DeleteOptions & { readonly readInput: () => Promise<string> },
): Promise<readonly Doomed[]> {
  if (options.filename === undefined) {
    if (resource === undefined || names.length === 0) {
      throw usedWrongly('say what is to be deleted: a resource with names, --where, --label or --all; or -f <file>')
    }
    const found = findResource(known, resource)
    return names.map((name) => ({ resource: found, name }))
  }
  if (resource !== undefined) throw usedWrongly('say what is to be deleted by names, or by -f <file>; not by both')
  const [{ readDocuments }, { resolveDocuments, wavesOf }] = await Promise.all([
    import('./read-documents.ts'),
    import('./written-resources.ts'),
  ])
  const placed = resolveDocuments(await readDocuments(options.filename, { ...options, readInput }), known)
  // Role bindings are deleted before their roles.
  return wavesOf(placed)
    .toReversed()
    .flat()
    .flatMap((one) => (one.resource ? [{ resource: one.resource, name: one.document.object.metadata.name }] : []))
}

function wordsOf(doomed: readonly Doomed[]): string {
  if (doomed.length > mostNamed) return `${doomed.length} objects`
  return doomed.map(({ resource, name }) => `${resource.singular} ${visible(name)}`).join(', ')
}
