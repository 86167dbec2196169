import type { ApiObject, ResourceType } from '@pergola/client'
import { shallowRef } from 'vue'
import { toast } from '../kit/tell.ts'
import { client, lastClient } from '../server/client.ts'
import { words } from '../words/words.ts'
import { forEachOf } from './each-object.ts'
import { canBeLast, lastBatches } from './last-requests.ts'
import type { Outcome } from './outcome.ts'

/** Undo period of a deletion; no request is sent before it ends. */
const undoMs = 10_000

/** Uids shown as deleted although the request is not sent yet. */
export const deletedSoon = shallowRef<ReadonlySet<string>>(new Set())

export interface Deletion {
  readonly type: ResourceType
  readonly objects: readonly ApiObject[]
  /** `3 purchases`, or the title of a single object. */
  readonly what: string
  readonly onFailures: (result: Omit<Outcome, 'again'>) => void
}

function hide(objects: readonly ApiObject[]): void {
  deletedSoon.value = new Set([...deletedSoon.value, ...objects.map(({ metadata }) => metadata.uid)])
}

function show(objects: readonly ApiObject[]): void {
  const back = new Set(objects.map(({ metadata }) => metadata.uid))
  deletedSoon.value = new Set([...deletedSoon.value].filter((uid) => !back.has(uid)))
}

/**
 * Deletes after a 10 s undo period, or when the page is closed. Begins at once, without undo, if there are more objects than a
 * closing page can send; ask before.
 */
export function deleteLater(deletion: Deletion): void {
  const { type, objects, what } = deletion
  hide(objects)
  if (!canBeLast(type, objects)) return void run(deletion)
  let isOver = false
  const begin = (send: (deletion: Deletion) => unknown) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    window.removeEventListener('pagehide', onClose)
    close()
    send(deletion)
  }
  const onClose = () => begin(sendLast)
  const timer = setTimeout(() => begin(run), undoMs)
  window.addEventListener('pagehide', onClose)
  const close = toast(words.value.objects.deletedToast(what), {
    ms: undoMs,
    action: {
      title: words.value.action.undo,
      run: () => {
        isOver = true
        clearTimeout(timer)
        window.removeEventListener('pagehide', onClose)
        show(objects)
      },
    },
  })
}

/** The page is being closed: requests of the usual kind would be cancelled. */
function sendLast({ type, objects }: Deletion): void {
  // The browser may show the page again, from its cache.
  for (const batch of lastBatches(type, objects)) lastClient.batch(batch).catch(() => show(objects))
}

const progressFrom = 20

async function run({ type, objects, onFailures }: Deletion): Promise<void> {
  const stop = new AbortController()
  let close: (() => void) | undefined
  let tried = 0
  const tell = (done: number) => {
    tried = done
    if (objects.length < progressFrom || done % 10 !== 0) return
    close?.()
    close = toast(words.value.objects.deletingToast(objects.length, done), {
      level: 'busy',
      ms: 0,
      action: { title: words.value.action.stop, run: () => stop.abort() },
    })
  }
  const failures = await forEachOf(
    objects,
    async ({ metadata }) => void (await client.resource(type).delete(metadata.name)),
    { progress: tell, signal: stop.signal },
  )
  close?.()
  if (failures.length === 0 && !stop.signal.aborted) return
  show(objects)
  if (failures.length === 0) return
  const result = {
    action: words.value.action.delete,
    all: objects.length,
    done: tried - failures.length,
    failures,
  }
  toast(words.value.objects.partly(result), {
    level: 'bad',
    action: { title: words.value.objects.showFailed, run: () => onFailures(result) },
  })
}
