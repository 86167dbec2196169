import type { Edit, PlantedFault } from './planted-fault.ts'

const folder = 'packages/client/src'
const run = (file: string, titles = '') =>
  `TEST_ENGINE=SQLite npm test -- --project unit ${folder}/${file}.test.ts${titles && ` -t "${titles}"`}`

const difference = run('cached-objects')
const again = run('send', 'retries')
const queue = run('frame-queue')
const live = run('collection/live')
const links = run('watch', 'cut link|cut off')

/** Faults that make a client lose, repeat or invent a change, or repeat a request. */
const faults: readonly (readonly [what: string, command: string, edits: readonly Edit[], expect: RegExp])[] = [
  [
    'what is missing among the present objects stays in the cache',
    difference,
    [
      {
        file: `${folder}/cached-objects.ts`,
        replace: 'for (const name of this.#unseen ?? []) this.#remove(name)',
        by: 'void this.#remove',
      },
    ],
    /FAIL.*with missing objects last/,
  ],
  [
    'another object of the same name is taken for the same',
    difference,
    [{ file: `${folder}/cached-objects.ts`, replace: '(!isSame || (isFirstSight', by: '((isFirstSight' }],
    /FAIL.*a new object with the same name/,
  ],
  [
    'an older state replaces a newer one',
    difference,
    [
      {
        file: `${folder}/cached-objects.ts`,
        replace: 'else if (isOlder) return',
        by: 'else if (isOlder && !known) return',
      },
    ],
    /FAIL.*that are not newer than the cached object/,
  ],
  [
    'the end of a namesake counts as having been seen',
    difference,
    [
      {
        file: `${folder}/cached-objects.ts`,
        replace: "if (type === 'DELETED' && !isSame) return",
        by: "if (type === 'DELETED' && !isSame) return void this.#unseen?.delete(name)",
      },
    ],
    /FAIL.*a deletion of another object with that name/,
  ],
  [
    'a restored database is not believed',
    difference,
    [{ file: `${folder}/cached-objects.ts`, replace: 'isFirstSight && isAnotherPast(known, object)', by: 'false' }],
    /FAIL.*lead to the stored state/,
  ],
  [
    'whatever is refused for now is sent again',
    again,
    [{ file: `${folder}/send.ts`, replace: "['GET', 'HEAD', 'PUT', 'DELETE'].includes(call.method)", by: 'true' }],
    /FAIL.*POST is not retried after 503/,
  ],
  [
    'what may have arrived is sent again',
    again,
    [{ file: `${folder}/send.ts`, replace: '(isSafe || !error.mayHaveArrived)', by: '(isSafe || error)' }],
    /FAIL.*POST is not retried after a cut connection/,
  ],
  [
    'the server is not given the time it asks for',
    again,
    [{ file: `${folder}/send.ts`, replace: 'undefined : asked + usual', by: 'undefined : usual' }],
    /FAIL.*not before Retry-After/,
  ],
  [
    'frames pile up behind a slow reader',
    queue,
    [
      {
        file: `${folder}/frame-queue.ts`,
        replace: 'characters + frame.length > bounds.characters)) return false',
        by: 'characters < 0)) return false',
      },
    ],
    /FAIL.*bounded in frames and in characters/,
  ],
  [
    'a new link goes on from where the watch began, and nobody notices what comes again',
    links,
    [
      { file: `${folder}/frames.ts`, replace: 'place = frame.revision ?? place', by: 'place ??= frame.revision' },
      { file: `${folder}/recent-versions.ts`, replace: '(versions.get(uid) ?? -1)', by: '-1' },
    ],
    /FAIL.*misses or repeats nothing/,
  ],
  [
    'present objects that begin anew come as if nothing had happened',
    links,
    [{ file: `${folder}/watch.ts`, replace: "yield { type: 'RESTARTED' }", by: 'failures = 0' }],
    /FAIL.*RESTARTED is delivered/,
  ],
  [
    'live objects without a value come first',
    live,
    [
      {
        file: `${folder}/collection/live.ts`,
        replace: 'return a === undefined ? -sign : sign',
        by: 'return a === undefined ? -1 : 1',
      },
    ],
    /FAIL.*a live list is sorted/,
  ],
  [
    'live objects keep the order that they had',
    live,
    [{ file: `${folder}/collection/live.ts`, replace: 'this.#items = undefined', by: 'void this.#items' }],
    /FAIL.*follows changes/,
  ],
  [
    'whoever ended its subscription is told all the same',
    live,
    [{ file: `${folder}/collection/live.ts`, replace: 'this.#listeners.delete(one)', by: 'this.#listeners.has(one)' }],
    /FAIL.*nothing after it unsubscribes/,
  ],
  [
    'of many, those that are missing are left out',
    live,
    [
      {
        file: `${folder}/collection/create-collection.ts`,
        replace: 'return names.map((name) => found.get(name))',
        by: 'return names.map((name) => found.get(name)).filter((one) => one !== undefined)',
      },
    ],
    /FAIL.*undefined for missing ones/,
  ],
]

export const clientFaults: readonly PlantedFault[] = faults.map(([what, command, edits, expect]) => ({
  name: `client: ${what}`,
  command,
  edits,
  expect,
}))
