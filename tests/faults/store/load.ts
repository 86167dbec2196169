import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from '../../../packages/server/src/base/uuid.ts'
import type {
  ModelDeclaration,
  ObjectContent,
  Store,
  StoredObject,
  WriteOperation,
  WriteResult,
} from '../../../packages/server/src/store/store.ts'
import { WriteConflict } from '../../../packages/server/src/store/write-conflict.ts'

/** Writes to the first are grouped with those of other callers; the unique set of the second prevents grouping. */
export const loadModels: readonly ModelDeclaration[] = [
  {
    group: 'example.com',
    plural: 'things',
    indexes: [{ name: 'city' }, { name: 'email', unique: true }, { name: 'tags', multi: true }],
    composites: [[{ index: 'city' }, { index: 'email', descending: true }]],
  },
  { group: 'example.com', plural: 'badges', indexes: [{ name: 'city' }, { name: 'keys', multi: true, unique: true }] },
]

/** An acknowledged write: this change of this object must be in the log. */
export interface Acknowledged {
  readonly uid: string
  readonly version: number
  readonly op: 'a' | 'm' | 'd'
}

export interface LoadOptions {
  readonly stopped: () => boolean
  /** Prefix of the marks of this load's writes. */
  readonly prefix: string
  readonly onAcknowledged: (writes: readonly Acknowledged[]) => void
  /** Called for a write that the store rejected. */
  readonly onRefused: (mark: string) => void
  /** Called for any other error; the outcome of the write is unknown. */
  readonly onFailed: (error: unknown) => void
}

const callers = 16
const names = 300
const batchShare = 0.15
const batchSize = 3
const deletionShare = 0.15
const afterFailureMs = 20
/** Few enough to cause conflicts. */
const uniqueValues = 4_000

/** Creates, updates and deletions of few objects by 16 callers, some in atomic batches over both models. */
export async function runLoad(store: Store, options: LoadOptions): Promise<void> {
  let marks = 0
  const call = async () => {
    while (!options.stopped()) {
      const mark = `${options.prefix}-${marks++}`
      try {
        const results = await store.write(await planWrites(store, mark))
        options.onAcknowledged(results.filter(({ outcome }) => outcome !== 'unchanged').map(acknowledgedBy))
      } catch (error) {
        if (error instanceof WriteConflict) options.onRefused(mark)
        else {
          options.onFailed(error)
          await sleep(afterFailureMs)
        }
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
}

function acknowledgedBy({ outcome, object: { uid, version } }: WriteResult): Acknowledged {
  const op = outcome === 'created' ? 'a' : outcome === 'removed' ? 'd' : 'm'
  return { uid, version, op }
}

async function planWrites(store: Store, mark: string): Promise<readonly WriteOperation[]> {
  const count = Math.random() < batchShare ? batchSize : 1
  const places = new Set(Array.from({ length: count }, () => Math.floor(Math.random() * names)))
  const targets = await Promise.all(
    [...places].map(async (place) => {
      const model = loadModels[place % loadModels.length]
      if (!model) throw new Error('the load has no model')
      const name = `n-${place}`
      return { model, name, stored: await store.get(model, name) }
    }),
  )
  const doomed = targets.filter(({ stored }) => stored !== undefined && Math.random() < deletionShare)
  const data = { mark, of: targets.length - doomed.length }
  return targets.map((target) => (doomed.includes(target) ? deletion(target) : put(target, data)))
}

interface Target {
  readonly model: ModelDeclaration
  readonly name: string
  readonly stored: StoredObject | undefined
}

function deletion({ model, name, stored }: Target): WriteOperation {
  return { type: 'delete', model, name, ...(stored && { expected: { uid: stored.uid, version: stored.version } }) }
}

/** The data has `mark` and the number of objects written with it, so that the log shows whether a batch is complete. */
function put({ model, name, stored }: Target, data: { mark: string; of: number }): WriteOperation {
  const content = makeContent(data)
  if (!stored) return { type: 'create', model, name, uid: uuidv7(Date.now()), content }
  return {
    type: 'update',
    model,
    name,
    expected: { uid: stored.uid, version: stored.version },
    // A deleted object with a finalizer is removed by the first update without the finalizer.
    content: { ...content, held: stored.deletedAt === undefined ? content.held : Math.random() < 0.5 },
    newGeneration: Math.random() < 0.3,
    sameEntries: Math.random() < 0.3,
  }
}

function makeContent(data: { mark: string; of: number }): ObjectContent {
  const some = (many: number) => Math.floor(Math.random() * many)
  const labels = { team: `t${some(10)}`, ...(some(2) === 0 && { zone: `z${some(5)}` }) }
  const single = {
    city: some(10) === 0 ? undefined : `c${some(20)}`,
    email: some(3) === 0 ? undefined : `e${some(uniqueValues)}`,
  }
  const tags = Array.from({ length: some(4) }, () => `tag${some(30)}`)
  const keys = Array.from({ length: some(3) }, () => `k${some(uniqueValues)}`)
  return {
    data: Buffer.from(JSON.stringify({ ...data, filling: 'x'.repeat(200) })),
    storedAs: 'v1',
    held: some(10) === 0,
    indexed: { labels, single, multi: { tags, keys } },
  }
}
