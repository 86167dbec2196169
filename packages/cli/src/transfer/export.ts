import { declarerKey, isApiError } from '@pergola/api'
import type { ApiObject, List, Resource } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { csvLine } from '../objects/csv.ts'
import { csvValue, fieldColumns, leafPaths, type FieldColumn } from '../objects/field-columns.ts'
import { inOrder } from '../objects/in-order.ts'
import { readSchema } from '../objects/read-schema.ts'
import { selectionOf, type SelectionOptions } from '../objects/selection.ts'
import { getStored, hidesData } from '../objects/stored-objects.ts'
import { attempting } from '../server/attempting.ts'
import { connect, type Connection } from '../server/connect.ts'
import { fullName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { readResources } from '../server/resources.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { CommandFault, usedWrongly } from '../terminal/command-fault.ts'
import { showingProgress } from '../terminal/progress.ts'
import { visibleJson } from '../terminal/visible.ts'
import { exportedResources } from './exported-resources.ts'
import { fileTarget, stdoutTarget, type ExportTarget } from './export-target.ts'
import { headerLine } from './header.ts'
import { createProgressFile, type ProgressFile } from './progress-file.ts'

const pageSize = 500
const atATime = 8

export interface ExportOptions extends ServerOptions, SelectionOptions {
  readonly out: string
  readonly all?: boolean
  readonly columns?: string
  readonly resume?: boolean
}

/** How far an export has come. */
interface ExportState {
  readonly url: string
  readonly resources: readonly string[]
  /** Bytes of the file that belong to this state. */
  readonly bytes: number
  /** Position in `resources`. */
  readonly at: number
  /** Of the page that comes next; absent at the start of a resource. */
  readonly token?: string
  readonly count: number
  readonly left: number
}

interface Exporting {
  readonly connection: Connection
  readonly target: ExportTarget
  readonly progress: ProgressFile<ExportState> | undefined
  readonly options: ExportOptions
  readonly isCsv: boolean
  /** Changed with every page. */
  state: ExportState
}

/** Writes objects page by page, and how far it has come after each, so that it can be continued. */
export async function exportObjects(
  context: CommandContext,
  named: readonly string[],
  options: ExportOptions,
): Promise<void> {
  const { terminal } = context
  const { out, resume = false } = options
  const isCsv = out.endsWith('.csv') || options.columns !== undefined
  const connection = await connect(context, options)
  const known = await attempting({ verb: 'get', resource: '/apis' }, () => readResources(connection.client))
  const resources = exportedResources(known, named, options)
  if (isCsv && resources.length !== 1)
    throw usedWrongly('a CSV has objects of one resource; leave out .csv for several')
  const progress = out === '-' ? undefined : createProgressFile<ExportState>(`${out}.progress`)
  const begin = { url: connection.url, resources: resources.map(fullName), bytes: 0, at: 0, count: 0, left: 0 }
  const state = resume ? continued(progress?.read(), begin, out) : begin
  const target = out === '-' ? stdoutTarget(terminal) : fileTarget(out, state.bytes)
  const exporting: Exporting = { connection, target, progress, options, isCsv, state }
  const began = Date.now()
  try {
    using _ = showingProgress(terminal, () => `${exporting.state.count.toLocaleString('en')} objects`)
    for (const resource of resources.slice(state.at)) {
      const skipped = await exportResource(exporting, resource)
      if (skipped !== undefined) terminal.tell([`  ${fullName(resource)} left out: ${skipped}`])
      exporting.state = { ...withoutToken(exporting.state), at: exporting.state.at + 1 }
    }
    target.settled()
    target.finish()
  } finally {
    target.close()
  }
  progress?.remove()
  const { count, left } = exporting.state
  if (out === '-') return
  const rest = left === 0 ? '' : `, ${left} left out because plugins declare them or they are being deleted`
  await terminal.print([
    `  ${count.toLocaleString('en')} objects in ${out}${rest}  ${((Date.now() - began) / 1_000).toFixed(1)} s`,
  ])
}

function withoutToken(state: ExportState): ExportState {
  const { token: _, ...rest } = state
  return rest
}

function continued(before: ExportState | undefined, begin: ExportState, out: string): ExportState {
  if (!before) throw new CommandFault(`there is no interrupted export of ${out} to continue`)
  const isSame = before.url === begin.url && before.resources.join() === begin.resources.join()
  if (isSame) return before
  throw new CommandFault(`the interrupted export of ${out} was of ${before.resources.join(', ')} on ${before.url}`)
}

/** Returns why the resource was left out; undefined when it was exported. */
async function exportResource(exporting: Exporting, resource: KnownResource): Promise<string | undefined> {
  const { connection, options, isCsv } = exporting
  const objects = connection.client.resource(resource)
  const columns = isCsv ? await columnsFor(exporting, resource) : []
  const { token } = exporting.state
  const indexed = resource.indexes.map(({ name }) => name)
  // Oldest first, so that an import creates them in this order, and objects that are made meanwhile come at the end.
  const first = { ...selectionOf(options, indexed), size: pageSize, sort: 'metadata.creationTimestamp,asc' }
  const ask = (next: string | undefined) => objects.list(next === undefined ? first : { continue: next })
  let page: List<ApiObject>
  try {
    page = await ask(token)
  } catch (error) {
    if (options.all && isApiError(error) && error.reason === 'Forbidden') return 'you may not list it'
    return attempting({ verb: 'list', resource: fullName(resource) }, () => Promise.reject(error as Error))
  }
  if (token === undefined)
    await exporting.target.write(isCsv ? csvLine(columns.map(({ path }) => path)) : headerLine(resource))
  for (;;) {
    await writePage(exporting, { objects, resource, columns }, page)
    if (page.continue === undefined) return undefined
    page = await ask(page.continue)
  }
}

interface Source {
  readonly objects: Resource<ApiObject>
  readonly resource: KnownResource
  readonly columns: readonly FieldColumn[]
}

async function writePage(
  exporting: Exporting,
  source: Source,
  { items, continue: token }: List<ApiObject>,
): Promise<void> {
  const { target, progress, isCsv, state } = exporting
  const kept = items.filter(isExported)
  const lines: string[] = []
  for await (const object of inOrder(kept, atATime, (one) => whole(exporting, source, one))) {
    if (object)
      lines.push(
        isCsv
          ? csvLine(source.columns.map((column) => csvValue(column, object)))
          : `${visibleJson(JSON.stringify(object))}\n`,
      )
  }
  await target.write(lines.join(''))
  exporting.state = {
    ...withoutToken(state),
    ...(token !== undefined && { token }),
    bytes: target.settled(),
    count: state.count + lines.length,
    left: state.left + items.length - lines.length,
  }
  if (token !== undefined) progress?.write(exporting.state)
}

/** Lists omit the data of secrets. */
async function whole(
  { connection }: Exporting,
  { resource }: Source,
  object: ApiObject,
): Promise<ApiObject | undefined> {
  return hidesData(resource) ? getStored(connection.client, resource, object.metadata.name) : object
}

function isExported({ metadata: { annotations = {}, deletionTimestamp } }: ApiObject): boolean {
  return annotations[declarerKey] === undefined && deletionTimestamp === undefined
}

async function columnsFor(
  { connection, options }: Exporting,
  resource: KnownResource,
): Promise<readonly FieldColumn[]> {
  const read = await readSchema(connection.client, resource)
  const usual = () => ['metadata.name', 'metadata.labels', ...leafPaths(read)]
  return fieldColumns(options.columns ?? usual().join(','), read)
}
