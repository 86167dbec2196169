import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient, type ApiObject, type Resource } from '@pergola/client'
import { freePort } from '@pergola/test-servers'
import { startPergola } from '../end-to-end/pergola-process.ts'
import { seedAdministrator } from '../end-to-end/seed-administrator.ts'

/**
 * Checks that a client cache equals the state of the server soon after a killed server is back. Writes continue all the
 * time, also while the server is down.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const [objects, kills] = values.quick ? [1_000, 5] : [10_000, 20]
const barMs = 2_000
const awayMs = 300
const lanes = 16
interface Thing extends ApiObject {
  readonly spec: { readonly number: number }
}
const type = { group: 'cache.example.com', version: 'v1', plural: 'things' }
const model = {
  group: type.group,
  kind: 'Thing',
  singular: 'thing',
  plural: type.plural,
  versions: [{ name: type.version, schema: { properties: { spec: { properties: { number: { type: 'integer' } } } } } }],
}
const token = 'pgs_client-cache-client-cache-client'

const directory = mkdtempSync(join(tmpdir(), 'pergola-cache-'))
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const env = { PERGOLA_SERVER_PORT: String(port), PERGOLA_LOG_LEVEL: 'error' }
await seedAdministrator(`sqlite:${join(directory, 'pergola.db')}`, token)
let server = startPergola({ directory, env })
const things = (): Resource<Thing> => createClient({ url, token }).resource<Thing>(type)
const writer = things()
let isWriting = true
const writers: Promise<void>[] = []
try {
  await server.url()
  const models = '/apis/plugin.platform.run/v1alpha1/models'
  await createClient({ url, token }).call({ method: 'POST', path: models, body: { spec: model } })
  await fill()
  using cache = things().cache()
  await cache.ready
  writers.push(...Array.from({ length: 2 }, (_, at) => write(at)))
  const took: number[] = []
  console.log(`${'kill'.padEnd(8)}${'objects'.padStart(9)}${'behind by ms'.padStart(14)}`)
  for (let kill = 1; kill <= kills; kill++) {
    server.signal('SIGKILL')
    await server.exited
    await sleep(awayMs)
    server = startPergola({ directory, env })
    await server.url()
    const back = performance.now()
    const isSame = async () => {
      // A write in flight may be in one and not yet in the other, so the comparison is repeated.
      const held = new Map(cache.items().map(({ metadata }) => [metadata.uid, metadata.version]))
      const stored = await present()
      return held.size === stored.size && [...stored].every(([uid, version]) => held.get(uid) === version)
    }
    isWriting = false
    await Promise.all(writers.splice(0))
    while (!(await isSame())) await sleep(20)
    took.push(performance.now() - back)
    console.log(
      `${String(kill).padEnd(8)}${String(cache.size).padStart(9)}${(took.at(-1) ?? 0).toFixed(0).padStart(14)}`,
    )
    isWriting = true
    writers.push(...Array.from({ length: 2 }, (_, at) => write(at)))
    await sleep(200)
  }
  isWriting = false
  await Promise.all(writers)
  const worst = Math.max(...took)
  const isShort = worst > barMs
  console.log(
    `${isShort ? 'SHORT: ' : ''}${objects} objects, ${kills} kills: the cache was the server's after ${worst.toFixed(0)} ms at most (bar ${barMs})`,
  )
  process.exitCode = isShort ? 1 : 0
} finally {
  isWriting = false
  await server[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
}
process.exit()

async function fill(): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let at = next++; at < objects; at = next++) {
      await writer.create({ metadata: { name: `t-${at}` }, spec: { number: at } })
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Changes, deletes and creates objects; failures while the server is down are ignored. */
async function write(by: number): Promise<void> {
  for (let at = 0; isWriting; at++) {
    const name = `t-${Math.floor(Math.random() * objects)}`
    const options = { timeoutMs: 1_000 }
    const act = [
      () => writer.patch(name, { spec: { number: at } }, options),
      () => writer.delete(name, options),
      () => writer.create({ metadata: { name }, spec: { number: at } }, options),
      () => writer.create({ metadata: { generateName: `w${by}-` }, spec: { number: at } }, options),
    ][at % 4]
    await act?.().catch(() => sleep(5))
  }
}

async function present(): Promise<ReadonlyMap<string, number>> {
  const stored = new Map<string, number>()
  for await (const { metadata } of writer.listAll({ size: 2_000 })) stored.set(metadata.uid, metadata.version)
  return stored
}
