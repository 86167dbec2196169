import { setTimeout as sleep } from 'node:timers/promises'
import { isApiError, type ApiError } from '@pergola/api'
import type { ApiObject, BatchOperation, Client } from '@pergola/client'
import { changedObject, comparable, newObject } from '../objects/desired-object.ts'
import { fieldChanges } from '../objects/field-changes.ts'
import { storedObjects } from '../objects/stored-objects.ts'
import type { KnownResource } from '../server/known-resource.ts'
import type { ImportItem } from './import-item.ts'

const mostWaits = 30

export interface StoreOptions {
  readonly client: Client
  readonly dryRun: boolean
  /** Writes the status of objects whose model has a status sub-resource. */
  readonly withStatus: boolean
}

export interface ItemResult {
  readonly item: ImportItem
  readonly outcome: 'created' | 'changed' | 'unchanged' | ApiError
}

interface Planned {
  readonly item: ImportItem
  readonly stored: ApiObject | undefined
  readonly outcome: 'created' | 'changed' | 'unchanged'
  readonly operation: BatchOperation | undefined
  /** The object of the file. */
  readonly written: ReturnType<ImportItem['build']>
  /** The object after the operation. */
  readonly after: ApiObject | undefined
}

/** Creates or updates the objects, in one transaction if none fails. Names occur once. */
export async function storeItems(options: StoreOptions, items: readonly ImportItem[]): Promise<readonly ItemResult[]> {
  const planned = await plannedFor(options, items)
  const failures = new Map<ImportItem, ApiError>()
  const after = new Map<ImportItem, ApiObject>(planned.flatMap((one) => (one.after ? [[one.item, one.after]] : [])))
  const objects = planned.flatMap(({ item, operation }) => (operation ? [{ item, operation }] : []))
  await sendAll(options, objects, { failures, after })
  const touched = new Set<ImportItem>()
  if (options.withStatus && !options.dryRun) {
    const statuses = planned.flatMap((one) => statusOperation(one, after.get(one.item)))
    for (const { item } of statuses) touched.add(item)
    await sendAll(options, statuses, { failures, after })
  }
  return planned.map((one) => ({
    item: one.item,
    outcome: failures.get(one.item) ?? (touched.has(one.item) ? changedBy(one) : outcomeOf(one, after.get(one.item))),
  }))
}

function changedBy({ outcome }: Planned): Planned['outcome'] {
  return outcome === 'created' ? outcome : 'changed'
}

/** The server may keep a field as it is, such as the status of a model. */
function outcomeOf({ stored, outcome }: Planned, after: ApiObject | undefined): Planned['outcome'] {
  if (outcome !== 'changed' || !stored || !after) return outcome
  return fieldChanges(comparable(stored), comparable(after)).length === 0 ? 'unchanged' : outcome
}

async function plannedFor({ client }: StoreOptions, items: readonly ImportItem[]): Promise<readonly Planned[]> {
  const stored = new Map<KnownResource, ReadonlyMap<string, ApiObject>>()
  for (const [resource, some] of Map.groupBy(items, (item) => item.resource)) {
    const names = some.map(({ name }) => name)
    stored.set(resource, await storedObjects(client, resource, names))
  }
  return items.map((item) => plan(item, stored.get(item.resource)?.get(item.name)))
}

function plan(item: ImportItem, stored: ApiObject | undefined): Planned {
  const { resource: of } = item
  const written = withoutServerOwned(item.build(stored))
  if (!stored) {
    const operation = { verb: 'create', of, object: newObject(written, of) } as const
    return { item, stored, outcome: 'created', operation, written, after: undefined }
  }
  const object = changedObject(written, stored, of)
  if (fieldChanges(comparable(stored), comparable(object)).length === 0) {
    return { item, stored, outcome: 'unchanged', operation: undefined, written, after: stored }
  }
  const sent = { ...object, apiVersion: stored.apiVersion, kind: stored.kind }
  return {
    item,
    stored,
    outcome: 'changed',
    operation: { verb: 'update', of, object: sent },
    written,
    after: undefined,
  }
}

/** The uid and version in a file are those of another server, or of another time. */
function withoutServerOwned({ metadata, ...fields }: Planned['written']): Planned['written'] {
  const { uid: _, version: __, ...rest } = metadata
  return { ...fields, metadata: rest }
}

interface Sent {
  readonly item: ImportItem
  readonly operation: BatchOperation
}

interface Outcomes {
  readonly failures: Map<ImportItem, ApiError>
  readonly after: Map<ImportItem, ApiObject>
}

/** Sends a batch again without the operation that failed, until the rest is stored. */
async function sendAll(options: StoreOptions, operations: readonly Sent[], outcomes: Outcomes): Promise<void> {
  const { client, dryRun } = options
  let left = operations
  for (let waits = 0; left.length > 0;) {
    try {
      const sent = left.map(({ operation }) => operation)
      const results = await client.batch(sent, { dryRun })
      for (const [at, { item }] of left.entries()) {
        const object = results[at]
        if (object) outcomes.after.set(item, object)
      }
      return
    } catch (error) {
      if (!isApiError(error) || error.reason === 'Unauthenticated') throw error
      if (error.reason === 'TooManyRequests' && waits++ < mostWaits) {
        await sleep(1_000 * Number(error.headers['retry-after'] ?? 1))
        continue
      }
      if (error.status >= 500) throw error
      const at = failedAt(error)
      const failed = left[at ?? -1]
      if (failed) outcomes.failures.set(failed.item, error)
      else if (left.length === 1 && left[0]) outcomes.failures.set(left[0].item, error)
      else if (left.length > 1) {
        // The error is not of one operation, such as the size of the batch.
        const half = Math.ceil(left.length / 2)
        await sendAll(options, left.slice(0, half), outcomes)
        await sendAll(options, left.slice(half), outcomes)
        return
      }
      left = left.filter((one) => !outcomes.failures.has(one.item))
    }
  }
}

function failedAt({ errors = [] }: ApiError): number | undefined {
  const [, at] = /^\/operations\/(\d+)/.exec(errors[0]?.pointer ?? '') ?? []
  return at === undefined ? undefined : Number(at)
}

/** The status is written by a request of its own, because the object's ignores it. */
function statusOperation({ item, written }: Planned, after: ApiObject | undefined): readonly Sent[] {
  const { resource: of } = item
  const { status } = written as { readonly status?: unknown }
  if (!after || status === undefined || !of.statusSubresource) return []
  const { status: stored } = after as { readonly status?: unknown }
  if (fieldChanges(stored ?? {}, status).length === 0) return []
  const object = { ...after, status } as ApiObject
  return [{ item, operation: { verb: 'update', of, object, subresource: 'status' } }]
}
