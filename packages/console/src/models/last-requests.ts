import type { ApiObject, BatchOperation, ResourceType } from '@pergola/client'

/** Bodies of requests that outlive a page: browsers allow 64 KiB at a time. */
const mostBytes = 60_000
/** The server's limit for one batch. */
const perBatch = 100
/** Chromium sends at most 10 requests that outlive a page. */
const mostRequests = 9

/** The deletions of a page that is being closed, in as few requests as possible. */
export function lastBatches(type: ResourceType, objects: readonly ApiObject[]): readonly (readonly BatchOperation[])[] {
  const { group, version, plural } = type
  const operations = objects.map(({ metadata: { name } }): BatchOperation => {
    return { verb: 'delete', of: { group, version, plural }, name }
  })
  const count = Math.ceil(operations.length / perBatch)
  return Array.from({ length: count }, (_, at) => operations.slice(at * perBatch, (at + 1) * perBatch))
}

/** Whether the browser can send all of these deletions while it closes the page. */
export function canBeLast(type: ResourceType, objects: readonly ApiObject[]): boolean {
  const batches = lastBatches(type, objects)
  return batches.length <= mostRequests && new Blob([JSON.stringify(batches)]).size <= mostBytes
}
