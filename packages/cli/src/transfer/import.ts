import { statSync } from 'node:fs'
import { isApiError, type ApiError } from '@pergola/api'
import type { CommandContext } from '../command-context.ts'
import { readSchema } from '../objects/read-schema.ts'
import { resourceOf } from '../objects/written-resources.ts'
import { attempting } from '../server/attempting.ts'
import { connect, type Connection } from '../server/connect.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { findResource, readResources } from '../server/resources.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { CommandFault, usedWrongly } from '../terminal/command-fault.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import { showingProgress } from '../terminal/progress.ts'
import { renderError, summaryOf } from '../terminal/render-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { visible } from '../terminal/visible.ts'
import { whyUnreadable } from '../terminal/why-unreadable.ts'
import type { ImportItem, ReadItem, ReadPart } from './import-item.ts'
import { createProgressFile, type ProgressFile } from './progress-file.ts'
import { csvItems, ndjsonItems } from './read-items.ts'
import { storeItems, type ItemResult } from './store-items.ts'

/** Operations per batch, and bytes of their lines; below the limits of the server. */
const mostItems = 100
const mostBytes = 4 * 1024 * 1024

export interface ImportOptions extends ServerOptions {
  readonly resource?: string
  readonly status: boolean
  readonly plan?: boolean
  readonly resume?: boolean
}

type Tally = Readonly<Record<'created' | 'changed' | 'unchanged' | 'failed', number>>

/** How far an import has come. */
interface ImportState {
  readonly url: string
  readonly size: number
  /** The last line that is done. */
  readonly number: number
  readonly end: number
  readonly tally: Tally
}

interface Importing {
  readonly terminal: Terminal
  readonly connection: Connection
  readonly file: string
  readonly options: ImportOptions
  readonly progress: ProgressFile<ImportState> | undefined
  state: ImportState
}

const none: Tally = { created: 0, changed: 0, unchanged: 0, failed: 0 }

/** Stores the objects of a file in batches, and how far it has come after each. */
export async function importObjects(context: CommandContext, file: string, options: ImportOptions): Promise<ExitCode> {
  const { terminal } = context
  const size = file === '-' ? 0 : sizeOf(file)
  const connection = await connect(context, options)
  const isKept = file !== '-' && options.plan !== true
  const progress = isKept ? createProgressFile<ImportState>(`${file}.progress`) : undefined
  const begin: ImportState = { url: connection.url, size, number: 0, end: 0, tally: none }
  const state = options.resume ? continued(progress?.read(), begin, file) : begin
  const importing: Importing = { terminal, connection, file, options, progress, state }
  const began = Date.now()
  try {
    using _ = showingProgress(terminal, () => progressWords(importing))
    for await (const chunk of chunksOf(await itemsOf(importing))) await storeChunk(importing, chunk)
  } catch (error) {
    throw interrupted(importing, error)
  }
  progress?.remove()
  const { tally } = importing.state
  await terminal.print([summaryLine(tally, options, Date.now() - began)])
  return tally.failed > 0 ? exitCodes.failed : exitCodes.done
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch (error) {
    throw usedWrongly(`${file} cannot be read: ${whyUnreadable(error)}`)
  }
}

function continued(before: ImportState | undefined, begin: ImportState, file: string): ImportState {
  if (!before) throw new CommandFault(`there is no interrupted import of ${file} to continue`)
  if (before.url !== begin.url) throw new CommandFault(`the interrupted import of ${file} was to ${before.url}`)
  if (before.size !== begin.size)
    throw new CommandFault(`${file} has changed since the import was interrupted; import it from its start`)
  return before
}

function progressWords({ state, file }: Importing): string {
  const { tally, end, size } = state
  const count = Object.values(tally)
    .reduce((sum, one) => sum + one, 0)
    .toLocaleString('en')
  return size > 0 ? `${count} objects, ${Math.floor((100 * end) / size)} % of ${file}` : `${count} objects`
}

/** The error, with the command that continues. */
function interrupted({ file, state, progress }: Importing, error: unknown): unknown {
  if (!progress || state.number === 0) return error
  const { lines, exitCode } = renderError(error)
  const [message = '', ...more] = lines.filter((line) => !line.startsWith('  next '))
  const done = `  ${file} is done up to line ${state.number}`
  return new CommandFault(message, { exitCode, lines: [...more, done], next: `pergola import ${file} --resume` })
}

async function itemsOf({ terminal, connection, file, options, state }: Importing): Promise<AsyncGenerator<ReadPart>> {
  const { client } = connection
  let known = await attempting({ verb: 'get', resource: '/apis' }, () => readResources(client))
  if (file.endsWith('.csv')) {
    if (options.resource === undefined) throw usedWrongly('a CSV does not say what it has; add --resource <resource>')
    const resource = findResource(known, options.resource)
    return csvItems({ file, from: state, resource, schema: await readSchema(client, resource) })
  }
  const missing = new Set<string>()
  const find = async (object: Parameters<typeof resourceOf>[0]): Promise<KnownResource | undefined> => {
    const type = `${object.apiVersion} ${object.kind}`
    const found = resourceOf(object, known)
    if (found || missing.has(type)) return found
    // Its model may be in this file too.
    known = await readResources(client)
    const second = resourceOf(object, known)
    if (!second) missing.add(type)
    return second
  }
  return ndjsonItems({ source: file === '-' ? terminal.stdin : file, from: state, resourceOf: find })
}

interface Chunk {
  readonly items: ReadItem[]
  readonly names: Set<string>
  bytes: number
}

/** Groups lines into batches. A batch has objects of one resource, each name once. */
async function* chunksOf(items: AsyncIterable<ReadPart>): AsyncGenerator<readonly ReadItem[], void, undefined> {
  let chunk: Chunk = { items: [], names: new Set(), bytes: 0 }
  let resource: KnownResource | undefined
  let last = 0
  for await (const item of items) {
    const isOther = 'name' in item && (resource !== item.resource || chunk.names.has(item.name))
    const isBoundary = 'isBoundary' in item
    if (
      chunk.items.length > 0 &&
      (isBoundary || isOther || chunk.items.length >= mostItems || chunk.bytes > mostBytes)
    ) {
      yield chunk.items
      chunk = { items: [], names: new Set(), bytes: 0 }
    }
    if (isBoundary) continue
    chunk.items.push(item)
    chunk.bytes += item.end - last
    last = item.end
    if ('name' in item) {
      resource = item.resource
      chunk.names.add(item.name)
    }
  }
  if (chunk.items.length > 0) yield chunk.items
}

async function storeChunk(importing: Importing, chunk: readonly ReadItem[]): Promise<void> {
  const { connection, options, progress, state, terminal, file } = importing
  const items = chunk.filter((item): item is ImportItem => 'name' in item)
  const how = { client: connection.client, dryRun: options.plan ?? false, withStatus: options.status }
  const results = await storeItems(how, items)
  const byItem = new Map<ReadItem, ItemResult>(results.map((result) => [result.item, result]))
  const tally = { ...state.tally }
  for (const item of chunk) {
    const { outcome } = byItem.get(item) ?? {}
    if (outcome !== undefined && !isApiError(outcome)) tally[outcome]++
    else {
      tally.failed++
      terminal.tell('fault' in item ? [`${file}:${item.line} ${item.fault}`] : failureLines(file, item, outcome))
    }
  }
  const last = chunk.at(-1)
  importing.state = { ...state, tally, number: last?.lastLine ?? state.number, end: last?.end ?? state.end }
  progress?.write(importing.state)
}

function failureLines(file: string, item: ImportItem, error: ApiError | undefined): readonly string[] {
  const place = `${file}:${item.line} ${item.resource.singular} ${visible(item.name)}`
  if (!error) return [`${place} was not stored`]
  const errors = (error.errors ?? [])
    .filter(({ pointer = '' }) => pointer.includes('/object/'))
    .map((one) => ({ ...one, field: one.field.replace(/^operations\[\d+\]\.object\./, '') }))
  const message = summaryOf({ message: error.message.replace(/^operations\[\d+\]: /, ''), errors })
  return [
    `${place}: ${visible(message)}`,
    ...errors.map((one) => `      ${visible(one.field)} ${visible(one.message)}`),
  ]
}

function summaryLine(tally: Tally, { plan }: ImportOptions, milliseconds: number): string {
  const parts = Object.entries(tally).filter(([, count]) => count > 0)
  const words = parts.map(([what, count]) => `${count.toLocaleString('en')} ${what}`).join(', ') || 'no objects'
  return plan ? `  ${words}: a plan, nothing has been changed` : `  ${words}  ${(milliseconds / 1_000).toFixed(1)} s`
}
