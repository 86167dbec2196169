import type { Patch } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect, type Connection } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { fullName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { findResource, readResources } from '../server/resources.ts'
import { usedWrongly } from '../terminal/command-fault.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import { showingProgress } from '../terminal/progress.ts'
import { renderError, type RenderedError } from '../terminal/render-error.ts'
import { visible } from '../terminal/visible.ts'
import { changedLines } from './changed-lines.ts'
import { inOrder } from './in-order.ts'
import { isSelection, selectionOf, type SelectionOptions } from './selection.ts'

const atATime = 8

export interface LabelOptions extends ServerOptions, SelectionOptions {
  readonly all?: boolean
  readonly plan?: boolean
}

export interface LabelWords {
  readonly part: 'labels' | 'annotations'
  readonly resource: string
  /** Names of objects, then `key=value` to set and `key-` to remove. */
  readonly words: readonly string[]
}

/** Sets and removes labels or annotations of the named or the selected objects. */
export async function label(
  context: CommandContext,
  { part, resource: named, words }: LabelWords,
  options: LabelOptions,
): Promise<ExitCode> {
  const { terminal } = context
  const { plan = false } = options
  const changes = words.filter(isChange)
  if (changes.length === 0) throw usedWrongly(`say which ${part} to set or to remove: team=blue, team-`)
  const patch: Patch = { metadata: { [part]: Object.fromEntries(changes.map(changeOf)) } }
  const connection = await connect(context, options)
  const resource = await attempting({ verb: 'get', resource: '/apis' }, async () =>
    findResource(await readResources(connection.client), named),
  )
  const names = await namesOf(
    { connection, resource },
    words.filter((word) => !isChange(word)),
    options,
  )
  if (names.length === 0) terminal.tell([`  no ${resource.plural} that this selects`])
  const objects = connection.client.resource(resource)
  const work = async (name: string): Promise<Labelled> => {
    try {
      const attempt = { verb: 'patch', resource: fullName(resource), name }
      return await attempting(attempt, async () => {
        const before = await objects.get(name)
        const after = await objects.patch(name, patch, { dryRun: plan })
        return {
          name,
          lines: changedLines(terminal, { resource, before: labelsOf(before), after: labelsOf(after), plan }),
        }
      })
    } catch (error) {
      if (names.length === 1) throw error
      return { name, error: renderError(error) }
    }
  }
  let done = 0
  let code: ExitCode = exitCodes.done
  using _ = showingProgress(terminal, () => `${done} of ${names.length}`)
  for await (const { name, lines = [], error } of inOrder(names, atATime, work)) {
    done++
    await terminal.print(lines)
    if (!error) continue
    terminal.tell([`${resource.singular} ${visible(name)}: ${error.lines[0] ?? ''}`, ...error.lines.slice(1)])
    code = error.exitCode
  }
  if (plan) await terminal.print(['  a plan, nothing has been changed'])
  return code
}

interface Labelled {
  readonly name: string
  readonly lines?: readonly string[]
  readonly error?: RenderedError
}

/** Only its type and metadata, because other fields may change at the same time. */
function labelsOf<Stored extends { readonly apiVersion: string; readonly kind: string; readonly metadata: object }>({
  apiVersion,
  kind,
  metadata,
}: Stored): Pick<Stored, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion, kind, metadata }
}

function isChange(word: string): boolean {
  return word.includes('=') || word.endsWith('-')
}

function changeOf(word: string): readonly [string, string | null] {
  const at = word.indexOf('=')
  return at < 0 ? [word.slice(0, -1), null] : [word.slice(0, at), word.slice(at + 1)]
}

async function namesOf(
  { connection, resource }: { readonly connection: Connection; readonly resource: KnownResource },
  named: readonly string[],
  options: LabelOptions,
): Promise<readonly string[]> {
  const selects = isSelection(options) || options.all === true
  if (selects === named.length > 0) throw usedWrongly('name the objects, or select them by --where, --label or --all')
  if (!selects) return named
  const indexed = resource.indexes.map(({ name }) => name)
  const query = { ...selectionOf(options, indexed), fields: ['metadata.name'] }
  const names: string[] = []
  await attempting({ verb: 'list', resource: fullName(resource) }, async () => {
    for await (const { metadata } of connection.client.resource(resource).listAll(query)) names.push(metadata.name)
  })
  return names
}
