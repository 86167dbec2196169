import { roleKeys } from '@pergola/api'
import type { ApiObject, ListQuery, Resource, Selection } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect, type Connection } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { fullName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { findResource, readResources } from '../server/resources.ts'
import { usedWrongly } from '../terminal/command-fault.ts'
import type { Output } from '../terminal/output-option.ts'
import { showingProgress } from '../terminal/progress.ts'
import type { ExitCode } from '../terminal/exit-codes.ts'
import type { ObjectWriter } from './object-writer.ts'
import { createExpansion, type Expansion } from './expansion.ts'
import { readPages } from './read-pages.ts'
import { writerFor } from './writer-for.ts'
import { isSelection, selectionOf, sortOf, type SelectionOptions } from './selection.ts'

export interface ListOptions extends ServerOptions, SelectionOptions {
  readonly output: Output
  readonly sort: readonly string[]
  readonly limit?: number
  readonly watch?: boolean
  readonly nonconforming?: boolean
  readonly expand: readonly string[]
}

/** Lists the objects of a resource page by page, printing each as it arrives, with backpressure. */
export async function list(context: CommandContext, named: string, options: ListOptions): Promise<ExitCode | void> {
  const connection = await connect(context, options)
  const known = await attempting({ verb: 'get', resource: '/apis' }, () => readResources(connection.client))
  const resource = findResource(known, named)
  const expansion = expansionFor(known, options)
  const verb = options.watch ? 'watch' : 'list'
  await attempting({ verb, resource: fullName(resource) }, () =>
    options.watch
      ? watchObjects(context, { connection, resource, expansion }, options)
      : listObjects(context, { connection, resource, expansion }, options),
  )
}

interface Target {
  readonly connection: Connection
  readonly resource: KnownResource
  readonly expansion: Expansion | undefined
}

function expansionFor(known: readonly KnownResource[], { expand, output, watch }: ListOptions): Expansion | undefined {
  if (expand.length === 0) return undefined
  if (watch) throw usedWrongly('--watch cannot be combined with --expand')
  if (output !== 'table' && output !== 'json') throw usedWrongly('--expand is only for -o table and -o json')
  return createExpansion({ paths: expand, known, keepsAll: output === 'json' })
}

async function listObjects(context: CommandContext, target: Target, options: ListOptions): Promise<void> {
  const { terminal } = context
  const { limit, nonconforming, expand } = options
  const query = { ...queryOf(target.resource, options), expand, ...(nonconforming && { nonconforming }) }
  const resource = resourceOf(target)
  const onPage = target.expansion?.take
  const objects = readPages({ list: (asked) => resource.list(asked), query, limit, onPage })
  // Requested in parallel, so that the first line waits only for the slower one.
  const first = objects.next()
  first.catch(() => undefined)
  const writer = await writerOf(context, target, options)
  let count = 0
  {
    using _ = showingProgress(terminal, () => `${count} ${target.resource.plural}`)
    for (let next = await first; !next.done; next = await objects.next()) {
      count++
      await writer.add(next.value)
    }
  }
  await writer.end()
  if (count > 0 || !['table', 'wide', 'name'].includes(options.output)) return
  const isNarrowed = isSelection(options) || nonconforming
  terminal.tell([`  no ${target.resource.plural}${isNarrowed ? ' that this selects' : ' yet'}`])
}

type Words = Readonly<Record<string, string>>

/** Prints all objects, then every change, until interrupted. */
async function watchObjects(context: CommandContext, target: Target, options: ListOptions): Promise<void> {
  if (options.sort.length > 0 || options.limit !== undefined || options.nonconforming) {
    throw usedWrongly('--watch cannot be combined with --sort, --limit or --nonconforming')
  }
  const { sort: _, ...selection } = queryOf(target.resource, options)
  const writer = await writerOf(context, target, options)
  let words: Words = { ADDED: 'present', MODIFIED: 'changed', DELETED: 'deleted' }
  for await (const event of resourceOf(target).watch({ ...selection, initial: true })) {
    if (event.type === 'BOOKMARK') {
      words = { ...words, ADDED: 'added' }
      await writer.flush()
    } else if (event.type === 'RESTARTED') {
      context.terminal.tell(['  the connection was lost; the list is printed again'])
    } else {
      await writer.add(event.object, changeWord(event, words))
      if (words['ADDED'] === 'added') await writer.flush()
    }
  }
}

/** An object that no longer matches the selector is reported as deleted, without a deletion timestamp. */
function changeWord({ type, object }: { readonly type: string; readonly object: ApiObject }, words: Words): string {
  if (type === 'DELETED' && object.metadata.deletionTimestamp === undefined) return 'left the selection'
  return words[type] ?? type
}

function resourceOf({ connection, resource }: Pick<Target, 'connection' | 'resource'>): Resource<ApiObject> {
  return connection.client.resource(resource)
}

function queryOf(resource: KnownResource, options: ListOptions): Selection & Pick<ListQuery, 'sort'> {
  const { label, sort, output } = options
  const names = resource.indexes.map(({ name }) => name)
  // As in `pergola role list`: hides built-in roles of all users, unless requested.
  const isPlain = !isSelection(options) && output === 'table'
  const labels = isPlain && fullName(resource) === 'roles' ? [`${roleKeys.hidden}!=true`] : label
  return { ...selectionOf({ ...options, label: labels }, names), sort: sortOf(sort, names) }
}

function writerOf({ terminal }: CommandContext, target: Target, { output, watch }: ListOptions): Promise<ObjectWriter> {
  const { connection, resource, expansion } = target
  return writerFor({ terminal, client: connection.client, resource, expansion, watch: watch ?? false }, output)
}
