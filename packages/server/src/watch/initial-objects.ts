import { createPause } from '../base/pause.ts'
import { decodeRevision, type RevisionParts } from '../store/revision.ts'
import type { Change, Cursor, Store } from '../store/store.ts'
import { eventFrame } from './frames.ts'
import type { Turns } from '../base/turns.ts'
import type { Watcher } from './watcher.ts'

const pageSize = 500
const pageBytes = 1024 * 1024
/** Reading pauses while this much waits for the reader. */
export const pauseBytes = 256 * 1024

export interface PresentParts {
  readonly store: Store
  /** Limits concurrent reads. */
  readonly reading: Turns
}

/** What a watcher must catch up with. */
export interface Behind {
  /** The position at which all pages have been read. */
  readonly upTo: number
  /** Ids of changes whose state may or may not have been sent. */
  readonly unsettled: readonly string[]
}

/** A range of names, and the position in the log at which it was read. */
interface Page extends RevisionParts {
  readonly upTo: string
}

/**
 * Sends the present objects by name, no faster than the reader consumes them. Pages are read one after the other, so a change
 * between two reads is only in the later pages: afterwards it is sent for objects on earlier pages. Returns how far the watcher
 * must catch up before it has a position of its own.
 */
export async function sendPresent({ store, reading }: PresentParts, watcher: Watcher): Promise<Behind> {
  const { wire, selection } = watcher
  const { model, terms } = selection
  const pages: Page[] = []
  const pause = createPause()
  for (let after: Cursor | undefined; ;) {
    const query = {
      where: terms,
      sort: [{ field: 'metadata.name', descending: false }],
      limit: pageSize,
      maxBytes: pageBytes,
      total: 'none' as const,
      ...(after !== undefined && { after }),
    }
    const found = await reading.run(() => store.list(model, query))
    for (const object of found.items) wire.send(eventFrame({ type: 'ADDED', model, object }))
    pages.push({ upTo: found.items.at(-1)?.name ?? '', ...decodeRevision(found.revision) })
    if (wire.waiting > pauseBytes) await wire.drained()
    await pause()
    after = found.next
    if (after === undefined || wire.closed) break
  }
  const [first] = pages
  if (!first) throw new Error('no page was read')
  watcher.position = { number: first.number, tag: first.tag }
  watcher.ahead = new Set(pages.flatMap(({ skipped }) => skipped))
  watcher.shown = (change) => isShown(pageOf(pages, change), change)
  // Only when its change has a position is it known whether the object is on a page that shows it.
  const unsettled = pages.flatMap(({ skipped }) => skipped.filter((id) => !first.skipped.includes(id)))
  return { upTo: pages.at(-1)?.number ?? first.number, unsettled }
}

/** The page that contains, or would contain, the object; names after the last page belong to the last page. */
function pageOf(pages: readonly Page[], { object }: Change): Page | undefined {
  let low = 0
  let high = pages.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pages[middle]?.upTo ?? '') < object.name) low = middle + 1
    else high = middle
  }
  return pages[low]
}

function isShown(page: Page | undefined, { position, id }: Change): boolean {
  return page !== undefined && (position.number <= page.number || page.skipped.includes(id))
}
