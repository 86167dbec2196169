import { ApiError, isApiError } from '@pergola/api'
import type { ApiObject } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect, type Connection } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { fullName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { readResources } from '../server/resources.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import { summaryOf } from '../terminal/render-error.ts'
import { showingProgress } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { visible } from '../terminal/visible.ts'
import { applyObject, type Applied } from './apply-object.ts'
import { changeLines } from './field-changes.ts'
import { inOrder } from './in-order.ts'
import { readDocuments, type ObjectDocument } from './read-documents.ts'
import { pathOfPointer } from './pointer.ts'
import { hidesData, storedObjects } from './stored-objects.ts'
import { resolveDocuments, resourceOf, wavesOf, type ResolvedDocument } from './written-resources.ts'

const atATime = 32

export interface ApplyOptions extends ServerOptions {
  readonly filename: readonly string[]
  readonly recursive?: boolean
  readonly plan?: boolean
}

type Tally = Record<Applied['outcome'] | 'failed' | 'waiting', number>

/**
 * Creates or updates objects to match the files. Reads everything before sending anything; a failed object does not stop the
 * others.
 */
export async function apply(context: CommandContext, options: ApplyOptions): Promise<ExitCode> {
  const { terminal } = context
  const documents = await readDocuments(options.filename, { ...options, readInput: () => terminal.readInput() })
  const connection = await connect(context, options)
  let known = await attempting({ verb: 'get', resource: '/apis' }, () => readResources(connection.client))
  const placed = resolveDocuments(documents, known)
  const tally: Tally = { created: 0, changed: 0, unchanged: 0, failed: 0, waiting: 0 }
  const began = Date.now()
  {
    using _ = showingProgress(terminal, () => `${countOf(tally)} of ${documents.length}`)
    for (const [at, wave] of wavesOf(placed).entries()) {
      const isUnplaced = wave.some(({ resource }) => !resource)
      if (at > 0 && isUnplaced && !options.plan) known = await readResources(connection.client)
      const here = wave.map(({ document, resource }) => ({
        document,
        resource: resource ?? resourceOf(document.object, known),
      }))
      await applyWave({ terminal, connection, tally, dryRun: options.plan ?? false }, here)
    }
  }
  await terminal.print(summaryLines(tally, { ...options, milliseconds: Date.now() - began }))
  return tally.failed > 0 ? exitCodes.failed : exitCodes.done
}

interface Applying {
  readonly terminal: Terminal
  readonly connection: Connection
  readonly tally: Tally
  readonly dryRun: boolean
}

async function applyWave(applying: Applying, wave: readonly ResolvedDocument[]): Promise<void> {
  const { terminal, connection, tally, dryRun } = applying
  const { client } = connection
  const stored = await readStored(connection, wave)
  const work = async ({ document, resource }: ResolvedDocument): Promise<Outcome> => {
    if (!resource) return { document, resource, result: dryRun ? 'waiting' : withoutModel(document) }
    const { object: written } = document
    try {
      const before = stored.get(resource)?.get(written.metadata.name)
      return { document, resource, result: await applyObject({ client, resource, written, stored: before, dryRun }) }
    } catch (error) {
      // All other objects would fail in the same way.
      if (!isApiError(error) || error.reason === 'Unauthenticated') throw error
      return { document, resource, result: error }
    }
  }
  for await (const outcome of inOrder(wave, atATime, work)) {
    tally[kindOf(outcome)]++
    if (isApiError(outcome.result)) terminal.tell(failureLines(outcome, outcome.result))
    else await terminal.print(outcomeLines(applying, outcome, outcome.result))
  }
}

/** The document that defines the model failed. */
function withoutModel({ object: { apiVersion, kind } }: ObjectDocument): ApiError {
  return new ApiError('ModelNotFound', `there is no ${kind} in ${apiVersion}, because its model could not be created`)
}

interface Outcome extends ResolvedDocument {
  readonly result: Applied | ApiError | 'waiting'
}

function kindOf({ result }: Outcome): keyof Tally {
  if (result === 'waiting') return 'waiting'
  return isApiError(result) ? 'failed' : result.outcome
}

async function readStored(
  { client }: Connection,
  wave: readonly ResolvedDocument[],
): Promise<ReadonlyMap<KnownResource, ReadonlyMap<string, ApiObject>>> {
  const byResource = Map.groupBy(wave, ({ resource }) => resource)
  const found = new Map<KnownResource, ReadonlyMap<string, ApiObject>>()
  for (const [resource, documents] of byResource) {
    if (!resource) continue
    const names = documents.map(({ document }) => document.object.metadata.name)
    const attempt = { verb: 'get', resource: fullName(resource) }
    found.set(resource, await attempting(attempt, () => storedObjects(client, resource, names)))
  }
  return found
}

function outcomeLines(
  { terminal, dryRun }: Applying,
  { document, resource }: Outcome,
  result: Exclude<Outcome['result'], ApiError>,
): readonly string[] {
  const name = `  ${nameOf(document, resource)}`
  if (result === 'waiting') return [`${name} will be created after its model; not validated`]
  const isSecret = (field: string) => resource !== undefined && hidesData(resource) && field.startsWith('data')
  const { outcome } = result
  const painted = outcome === 'unchanged' ? outcome : terminal.paint('green', dryRun ? `would be ${outcome}` : outcome)
  return [`${name} ${painted}`, ...changeLines(result.changes, isSecret).map((line) => `      ${line}`)]
}

function nameOf({ object }: ObjectDocument, resource: KnownResource | undefined): string {
  return `${resource?.singular ?? object.kind.toLowerCase()} ${visible(object.metadata.name)}`
}

/** Formats a failure with file and line of the object and of each invalid field. */
function failureLines({ document, resource }: Outcome, error: ApiError): readonly string[] {
  const fields = (error.errors ?? []).map(({ pointer = '', field, message }) => {
    return `      ${document.placeOf(pathOfPointer(pointer))} ${visible(field)} ${visible(message)}`
  })
  const advice = adviceFor(error, { document, resource })
  const where = document.placeOf([])
  return [`${where} ${nameOf(document, resource)}: ${visible(summaryOf(error))}`, ...fields, ...advice]
}

function adviceFor({ reason }: ApiError, { document, resource }: ResolvedDocument): readonly string[] {
  if (!resource) return []
  const { name } = document.object.metadata
  if (reason === 'VersionConflict') {
    return [
      `  next      pergola get ${fullName(resource)} ${name}  shows the stored object: apply your change to it;`,
      '            or remove metadata.version and metadata.uid from the file, to overwrite it',
    ]
  }
  return reason === 'Forbidden' ? [`  next      pergola can-i update ${fullName(resource)} ${name}`] : []
}

function summaryLines(
  tally: Tally,
  { plan, milliseconds }: { readonly plan?: boolean; readonly milliseconds: number },
): readonly string[] {
  const { created, changed, unchanged, failed, waiting } = tally
  const parts = Object.entries({ created: created + waiting, changed, unchanged, failed }).filter(
    ([, count]) => count > 0,
  )
  const words = parts.map(([what, count]) => `${count} ${what}`).join(', ')
  if (plan) return [`  ${words}: a plan, nothing has been changed`]
  return countOf(tally) > 1 ? [`  ${words}  ${(milliseconds / 1_000).toFixed(1)} s`] : []
}

function countOf(tally: Tally): number {
  return Object.values(tally).reduce((sum, count) => sum + count, 0)
}
