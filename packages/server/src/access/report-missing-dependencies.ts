import type { Log } from '../base/log.ts'
import type { Feed } from '../feed/feed.ts'
import type { JsonObject } from '../models/object.ts'
import type { Model } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import { writeStatus } from '../models/verbs/write-status.ts'
import { allObjects } from '../store/all-objects.ts'
import { keyOf } from '../store/model-table.ts'
import type { Store, StoredObject } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import { roleWords } from './role-words.ts'

/** Delay that collects role changes made together, such as those of a plugin, into one run. */
const gatherMs = 100

export interface MissingDependencyParts {
  readonly store: Store
  readonly roles: Model
  readonly feed: Feed
  readonly log: Log
}

/** Keeps the names of missing dependencies in the status of each role. A missing dependency grants nothing. */
export function reportMissingDependencies(parts: MissingDependencyParts): Disposable {
  const { roles, feed, log } = parts
  let timer: NodeJS.Timeout | undefined
  const run = () => {
    timer = undefined
    reportAll(parts).catch((err: unknown) => {
      log.warn({ err }, 'missing dependencies of roles could not be reported; the next change of a role reports them')
    })
  }
  const start = () => {
    timer ??= setTimeout(run, gatherMs).unref()
  }
  const subscription = feed.subscribe('delivery', {
    onChanges: (changes) => {
      if (changes.some(({ model }) => keyOf(model) === keyOf(roles))) start()
    },
    onLost: start,
  })
  start()
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      subscription[Symbol.dispose]()
    },
  }
}

async function reportAll(parts: MissingDependencyParts): Promise<void> {
  const all: StoredObject[] = []
  for await (const role of allObjects(parts.store, parts.roles)) all.push(role)
  const names = new Set(all.map(({ name }) => name))
  for (const role of all) {
    const object = fromData(role.data)
    const missing = [...new Set(roleWords(object).dependencies)].filter((name) => !names.has(name)).toSorted()
    if (missing.join() !== reportedIn(object).join()) await report(parts, role, missing)
  }
}

function reportedIn({ status }: JsonObject): readonly string[] {
  return (status as { missingDependencies?: readonly string[] } | undefined)?.missingDependencies ?? []
}

async function report({ store, roles }: MissingDependencyParts, role: StoredObject, missing: readonly string[]) {
  const status = missing.length === 0 ? undefined : { missingDependencies: missing }
  try {
    await writeStatus({ store, model: roles }, role, status)
  } catch (error) {
    // Another replica was faster, or the role was changed: that change triggers another run.
    if (!(error instanceof WriteConflict)) throw error
  }
}
