import type { DeletedCollection, Selection } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import type { Connection } from '../server/connect.ts'
import { fullName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { isConfirmed } from '../terminal/ask.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import { showingProgress } from '../terminal/progress.ts'
import { shortened } from '../terminal/visible.ts'
import { isSelection, selectionOf, type SelectionOptions } from './selection.ts'

const mostNamed = 5
const widestName = 40

export interface DeletionOptions extends SelectionOptions {
  readonly plan?: boolean
  readonly yes?: boolean
}

interface Target {
  readonly connection: Connection
  readonly resource: KnownResource
}

/** Deletes the selected objects. Shows first how many they are, and some of them. */
export async function deleteSelected(
  context: CommandContext,
  target: Target,
  options: DeletionOptions,
): Promise<ExitCode> {
  const { terminal } = context
  const { connection, resource } = target
  const { client, host } = connection
  const objects = client.resource(resource)
  const { anyOf: _, ...selection } = selectionOf(
    options,
    resource.indexes.map(({ name }) => name),
  )
  const whole = { ...selection, ...(!isSelection(options) && { all: true }) }
  const attempt = { verb: 'deletecollection', resource: fullName(resource) }
  const planned = await attempting(attempt, () => objects.deleteCollection(whole, { dryRun: true }))
  const count = planned.deleted + planned.pending
  if (count + planned.refused === 0) {
    terminal.tell([`  no ${resource.plural} that this selects`])
    return exitCodes.done
  }
  const words = `${planned.remaining ? 'at least ' : ''}${count.toLocaleString('en')} ${count === 1 ? resource.singular : resource.plural}`
  await terminal.print([`  ${words}: ${await someNames(target, selection, count + planned.refused)}`])
  if (options.plan) {
    await terminal.print([...restLines(planned, resource, 'would '), '  a plan, nothing has been changed'])
    return exitCodes.done
  }
  if (!(await isConfirmed(terminal, { question: `Delete ${words} on ${host}?`, yes: options.yes }))) {
    await terminal.print(['  nothing has been deleted'])
    return exitCodes.failed
  }
  const done = await deleteAll(context, { delete: () => attempting(attempt, () => objects.deleteCollection(whole)) })
  const deleted = `${done.deleted.toLocaleString('en')} ${done.deleted === 1 ? resource.singular : resource.plural}`
  await terminal.print([`  ${deleted} ${terminal.paint('green', 'deleted')}`, ...restLines(done, resource, '')])
  return done.refused > 0 ? exitCodes.failed : exitCodes.done
}

/** Repeats the request, because the server limits the time of each. */
async function deleteAll(
  { terminal }: CommandContext,
  { delete: deleteSome }: { readonly delete: () => Promise<DeletedCollection> },
): Promise<DeletedCollection> {
  let deleted = 0
  using _ = showingProgress(terminal, () => `${deleted} deleted`)
  for (;;) {
    const answer = await deleteSome()
    deleted += answer.deleted
    if (!answer.remaining) return { ...answer, deleted }
  }
}

function restLines(
  { pending, refused }: DeletedCollection,
  { plural }: KnownResource,
  would: '' | 'would ',
): readonly string[] {
  return [
    ...(pending > 0 ? [`  ${pending} ${would === '' ? 'wait' : 'would wait'} for finalizers`] : []),
    ...(refused > 0
      ? [`  ${refused} ${would}${would === '' ? 'are' : 'be'} kept, because other objects refer to these ${plural}`]
      : []),
  ]
}

async function someNames({ connection, resource }: Target, selection: Selection, count: number): Promise<string> {
  const query = { ...selection, size: mostNamed, sort: 'metadata.name', fields: ['metadata.name'] }
  const { items } = await attempting({ verb: 'list', resource: fullName(resource) }, () =>
    connection.client.resource(resource).list(query),
  )
  const names = items.map(({ metadata }) => shortened(metadata.name, widestName))
  const more = count - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`
}
