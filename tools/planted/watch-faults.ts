import type { Edit } from './planted-fault.ts'

/** A fault of the server and the validator that must report it. */
export interface WatchFault {
  readonly what: string
  readonly edits: readonly Edit[]
  /** The expected validator. */
  readonly seenBy: string
  /** Validators that may report consequences: a reader that misses a change may also end with another state. */
  readonly also?: readonly string[]
}

const watch = 'packages/server/src/watch'
const send = 'sendTo(watcher, watcher.ahead.size === 0 ? frame : ownFrame(watcher, type, change))'
const sometimes = 'change.place.number % 20 === 0'

export const watchFaults: readonly WatchFault[] = [
  {
    what: 'now and then a change is not sent',
    edits: [{ file: `${watch}/deliver.ts`, replace: send, by: `if (!(${sometimes})) ${send}` }],
    seenBy: 'complete',
    also: ['resumable', 'bookmark-true', 'state-true'],
  },
  {
    what: 'now and then a change is sent twice',
    edits: [
      { file: `${watch}/deliver.ts`, replace: send, by: `for (let n = 0; n < (${sometimes} ? 2 : 1); n++) ${send}` },
    ],
    seenBy: 'unique',
  },
  {
    what: 'now and then a change lets the next one pass',
    edits: [
      { file: `${watch}/deliver.ts`, add: 'const late = new WeakMap<Watcher, Frame>()' },
      {
        file: `${watch}/deliver.ts`,
        replace: send,
        by: `const own = watcher.ahead.size === 0 ? frame : ownFrame(watcher, type, change)
    const held = late.get(watcher)
    if (!held && ${sometimes}) { late.set(watcher, own); continue }
    sendTo(watcher, own)
    if (held && late.delete(watcher)) sendTo(watcher, held)`,
      },
    ],
    seenBy: 'ordered',
    also: ['complete', 'resumable', 'bookmark-true', 'state-true'],
  },
  {
    what: 'a stream goes on one too far',
    edits: [
      {
        file: 'packages/server/src/feed/recent-changes.ts',
        replace: 'changes.slice(behind)',
        by: 'changes.slice(behind + 1)',
      },
    ],
    seenBy: 'resumable',
    also: ['complete', 'initial-exact', 'bookmark-true', 'state-true'],
  },
  {
    what: 'a bookmark lies one too far',
    edits: [
      {
        file: `${watch}/watch-hub.ts`,
        replace: 'bookmarkFrame(encodeRevision({ ...place, skipped: [] }))',
        by: 'bookmarkFrame(encodeRevision({ ...place, number: place.number + 1, skipped: [] }))',
      },
    ],
    seenBy: 'bookmark-true',
    also: ['resumable', 'initial-exact', 'state-true', 'expired-rightly'],
  },
  {
    what: 'an object that begins to be selected is said to have changed',
    edits: [
      { file: `${watch}/selection.ts`, replace: "was ? 'MODIFIED' : 'ADDED'", by: "was ? 'MODIFIED' : 'MODIFIED'" },
    ],
    seenBy: 'selector-true',
  },
  {
    what: 'what an object was before is not looked at',
    edits: [
      {
        file: `${watch}/selection.ts`,
        replace: 'indexed: previous ?? indexed, name',
        by: 'indexed: previous ? indexed : indexed, name',
      },
    ],
    seenBy: 'selector-true',
    also: ['complete', 'resumable', 'initial-exact', 'bookmark-true', 'state-true'],
  },
  {
    what: 'a page of present objects lacks its first',
    edits: [
      { file: `${watch}/initial-objects.ts`, replace: 'of found.items) wire', by: 'of found.items.slice(1)) wire' },
    ],
    seenBy: 'initial-exact',
    also: ['state-true'],
  },
  {
    what: 'now and then a place that is there is taken for gone',
    edits: [
      {
        file: 'packages/server/src/feed/recent-changes.ts',
        replace: 'if (known?.tag !== after.tag) throw',
        by: 'if (known?.tag !== after.tag || behind % 2 === 1) throw',
      },
    ],
    seenBy: 'expired-rightly',
  },
  {
    what: 'a deletion is only tried, and said to be done',
    edits: [
      {
        file: 'packages/server/src/models/verbs/delete.ts',
        replace: "store.write([{ type: 'delete', model, name }], { dryRun })",
        by: "store.write([{ type: 'delete', model, name }], { dryRun: dryRun || true })",
      },
    ],
    seenBy: 'acknowledged',
  },
  {
    what: 'events have no id',
    edits: [
      {
        file: 'packages/server/src/http/event-stream-wire.ts',
        replace: "const id = frame.revision === undefined ? '' :",
        by: "const id = frame.revision !== 'x' ? '' :",
      },
    ],
    seenBy: 'well-formed',
  },
]
