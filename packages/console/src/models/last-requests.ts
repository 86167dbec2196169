import type { ApiObject, BatchOperation, ResourceType } from '@pergola/client'

/** Bodies of requests that outlive a page: browsers allow 64 KiB at a time, and Chromium 10 requests, which is more than that takes. */
const mostBytes = 60_000
/** The server's limit for one batch. */
const perBatch = 100
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
  return new Blob([JSON.stringify(lastBatches(type, objects))]).size <= mostBytes
}
