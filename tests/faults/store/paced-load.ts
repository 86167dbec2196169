import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from '../../../packages/server/src/base/uuid.ts'
import type { ModelDeclaration, Store, StoredObject } from '../../../packages/server/src/store/store.ts'

export const pacedModel: ModelDeclaration = { group: 'example.com', plural: 'readings', indexes: [{ name: 'city' }] }

export interface PacedLoad extends AsyncDisposable {
  /**
   * Delays of the changes read since the last call: milliseconds after their write resolved, 0 if they
   * were read before that.
   */
  takeLatencies(): number[]
}

/** Objects that are updated in turn; one write in five creates another that nobody updates. */
const updatedObjects = 5_000
const createEvery = 5
const tickMs = 2
/** Limit of writes in flight; above it the database cannot keep up and no more are sent. */
const mostUnderWay = 500

/** Sends single writes at a constant rate and reads the log. Ends with an error when a write or read fails. */
export async function startPacedLoad(store: Store, perSecond: number): Promise<PacedLoad> {
  const objects = await createObjects(store)
  const latencies: number[] = []
  const meetings = createMeetings((latencyMs) => latencies.push(latencyMs))
  const ending = new AbortController()
  const { signal } = ending
  const work = Promise.all([offer(), read(await store.head())])
  work.catch(() => ending.abort())

  async function offer(): Promise<void> {
    const began = performance.now()
    const underWay = new Set<Promise<void>>()
    for (let offered = 0; !signal.aborted; await sleep(tickMs)) {
      for (const due = ((performance.now() - began) / 1000) * perSecond; offered < due; offered++) {
        if (underWay.size >= mostUnderWay) continue
        const write = writeOne(offered).finally(() => underWay.delete(write))
        underWay.add(write)
      }
    }
    await Promise.all(underWay)
  }

  async function writeOne(at: number): Promise<void> {
    const place = at % objects.length
    const stored = at % createEvery === 0 ? undefined : objects[place]
    const object = stored ? await update(store, stored) : await create(store, `new-${at}`)
    if (stored) objects[place] = object
    meetings.resolved(object)
  }

  async function read(from: Awaited<ReturnType<Store['head']>>): Promise<void> {
    for (let place = from; !signal.aborted;) {
      const { changes, revision } = await store.readChanges(place, { limit: 2_000, waitMs: 1_000, signal })
      for (const { object } of changes) meetings.read(object)
      place = revision
    }
  }

  return {
    takeLatencies: () => latencies.splice(0),
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await work
    },
  }
}

/** A change is read before or after its write resolves; the second event completes the pair. */
function createMeetings(onMet: (latencyMs: number) => void) {
  const resolvedAt = new Map<string, number>()
  const read = new Set<string>()
  const keyOf = ({ uid, version }: StoredObject) => `${uid} ${version}`
  return {
    resolved: (object: StoredObject) => {
      const key = keyOf(object)
      if (read.delete(key)) onMet(0)
      else resolvedAt.set(key, performance.now())
    },
    read: (object: StoredObject) => {
      const key = keyOf(object)
      const at = resolvedAt.get(key)
      if (at === undefined) read.add(key)
      else onMet(performance.now() - at)
      resolvedAt.delete(key)
    },
  }
}

async function createObjects(store: Store): Promise<StoredObject[]> {
  const names = Array.from({ length: updatedObjects }, (_, at) => `o-${at}`)
  return Promise.all(names.map((name) => create(store, name)))
}

async function create(store: Store, name: string): Promise<StoredObject> {
  const content = contentOf()
  const [result] = await store.write([{ type: 'create', model: pacedModel, name, uid: uuidv7(Date.now()), content }])
  return objectOf(result)
}

async function update(store: Store, { name, uid, version }: StoredObject): Promise<StoredObject> {
  const [result] = await store.write([
    {
      type: 'update',
      model: pacedModel,
      name,
      expected: { uid, version },
      content: contentOf(),
      newGeneration: false,
      sameEntries: true,
    },
  ])
  return objectOf(result)
}

function objectOf(result: { readonly object: StoredObject } | undefined): StoredObject {
  if (!result) throw new Error('a write answered nothing')
  return result.object
}

function contentOf() {
  const data = Buffer.from(JSON.stringify({ value: Math.random(), filling: 'x'.repeat(200) }))
  return { data, storedAs: 'v1', held: false, indexed: { labels: {}, single: { city: 'here' }, multi: {} } }
}
