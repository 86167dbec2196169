import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../fuzz/random.ts'
import { ask, type Question } from './ask.ts'
import { anyReplica, type Served } from './cluster.ts'
import type { Operation } from './history.ts'
import { anyMetadata, anyName, anySpec, collection, largeNames, largeSpec, presentNames, quietName } from './things.ts'

export interface WriterOptions {
  readonly cluster: Served
  readonly random: Random
  readonly operations: Operation[]
  /** Prefix of the marks of a round. */
  readonly prefix: string
  readonly stopped: () => boolean
}

const lanes = 6
/** Together some 130 writes a second without faults. */
const pauseMs = 40
const quietEveryMs = 13_000

/** Creates, changes and deletes objects at random replicas and records the outcomes. */
export async function runWriters(options: WriterOptions): Promise<void> {
  const { random, stopped } = options
  const lane = async () => {
    while (!stopped()) {
      await write(options, anyVerb(random), anyName(random))
      await sleep(random.whole(0, pauseMs * 2))
    }
  }
  const quiet = async () => {
    for (let waited = quietEveryMs - 1_000; !stopped(); waited += 50) {
      if (waited % quietEveryMs === 0) await write(options, 'update', quietName)
      await sleep(50)
    }
  }
  await Promise.all([...Array.from({ length: lanes }, lane), quiet()])
}

/** Enough objects for several pages of present objects. */
export async function fill(options: WriterOptions): Promise<void> {
  const waiting = [...presentNames]
  const lane = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) await write(options, 'create', name)
  }
  await Promise.all(Array.from({ length: 24 }, lane))
}

/** Some 16 MB at once, to overflow readers that have stopped. */
export async function writeMuch(options: WriterOptions): Promise<void> {
  const lane = async (name: string) => {
    for (let count = 0; count < 27 && !options.stopped(); count++) await write(options, 'enlarge', name)
  }
  await Promise.all(largeNames.map(lane))
}

function anyVerb(random: Random): Operation['verb'] {
  const chosen = random.whole(0, 99)
  if (chosen < 40) return 'update'
  if (chosen < 65) return 'patch'
  if (chosen < 75) return 'status'
  if (chosen < 84) return 'delete'
  if (chosen < 90) return 'release'
  return 'create'
}

let marks = 0

async function write(options: WriterOptions, verb: Operation['verb'], name: string): Promise<void> {
  const { cluster, random, operations, prefix } = options
  const mark = `${prefix}-${++marks}`
  const began = performance.now()
  const { url } = anyReplica(cluster, random)
  const { status, text } = await ask({ url, token: cluster.token, ...questionOf(random, { verb, name, mark }) })
  const outcome = status >= 200 && status < 300 ? 'done' : status >= 400 && status < 500 ? 'refused' : 'unknown'
  const uid = outcome === 'done' ? uidIn(text) : undefined
  operations.push({ verb, name, mark, began, ended: performance.now(), outcome, ...(uid !== undefined && { uid }) })
  // The next writer that finds it missing creates it again.
  if (status === 404 && verb === 'update') await write(options, 'create', name)
}

function uidIn(text: string): string {
  return (JSON.parse(text) as { readonly metadata: { readonly uid: string } }).metadata.uid
}

interface Wanted extends Pick<Operation, 'verb' | 'name' | 'mark'> {}

function questionOf(random: Random, { verb, name, mark }: Wanted): Pick<Question, 'method' | 'path' | 'body'> {
  const object = `${collection}/${name}`
  const patch = { method: 'PATCH', contentType: 'application/merge-patch+json' }
  const whole = { metadata: { name, ...anyMetadata(random) }, spec: anySpec(random, mark) }
  switch (verb) {
    case 'create':
      return { method: 'POST', path: collection, body: whole }
    case 'update':
      return { method: 'PUT', path: object, body: whole }
    case 'enlarge':
      return { method: 'PUT', path: object, body: { metadata: { name }, spec: largeSpec(mark) } }
    case 'patch':
      return { ...patch, path: object, body: { spec: { ...anySpec(random, mark), filling: null } } }
    case 'status':
      return { ...patch, path: `${object}/status`, body: { status: { phase: mark } } }
    case 'delete':
      return { method: 'DELETE', path: object }
    case 'release':
      return { ...patch, path: object, body: { metadata: { finalizers: null }, spec: { mark } } }
  }
}
