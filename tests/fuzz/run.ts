import { parseArgs } from 'node:util'
import { modelObject, modelsPath } from '../conformance/models.ts'
import { isPassing } from './checks.ts'
import { Campaign } from './campaign.ts'
import { readDocuments, type Documents } from './documents.ts'
import { Findings } from './findings.ts'
import { generatedClient } from './generated-client.ts'
import { lintDocuments } from './lint-documents.ts'
import { sampleModels } from './sample-models.ts'
import { openConnection } from './sender.ts'
import { startServer, type Engine, type ServerProcess } from './server-process.ts'
import type { Memory } from './processes/server.ts'
import { read, write } from './shot.ts'
import { Tally } from './tally.ts'

/**
 * Checks with random requests that the server does what its OpenAPI documents say. `--quick` sends 10,000 requests instead of
 * 200,000, `--requests=<n>` any number; `--seed=<n>` repeats a run; `--engine=postgres` uses PostgreSQL 18 instead of
 * SQLite.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    requests: { type: 'string' },
    seed: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const requests = Number(values.requests ?? (values.quick ? 10_000 : 200_000))
const seed = Number(values.seed ?? Date.now() % 1_000_000)
/** Number of memory samples after the warm-up; the first half is compared with the second. */
const memoryLooks = 9
/** Allowed growth of the memory in use. */
const maxGrownBytes = 64 * 1024 * 1024
const warmPart = 0.2

await using running = new AsyncDisposableStack()
const server = await startServer(values.engine as Engine, running)
const findings = new Findings(server.url)
const tally = new Tally()
console.log(`${values.engine}, --seed=${seed}, ${requests} requests`)
const documents = await describedSamples(server)
await lintDocuments(documents, findings)
await generatedClient(documents, server.url, findings)
await campaign(server, documents)
tally.show(console.log)
findings.show(console.log)
if (server.log() !== '') console.log(`the server's log begins:\n${server.log().slice(0, 4_000)}`)
console.log(`${tally.requests} requests, ${findings.size} findings`)
process.exitCode = findings.size === 0 ? 0 : 1

async function describedSamples({ url }: ServerProcess): Promise<Documents> {
  using connection = openConnection(url)
  for (const spec of sampleModels) {
    const { status, text } = await connection.send(write('POST', modelsPath, modelObject(spec)))
    if (status !== 201) throw new Error(`the model ${spec.plural} was refused with ${status}: ${text}`)
  }
  return await readDocuments(connection)
}

async function campaign(target: ServerProcess, described: Documents): Promise<void> {
  const { url } = target
  using sending = new Campaign({
    url,
    documents: described,
    seed,
    findings,
    onAnswer: (kind, answer) => tally.count(kind, answer, isPassing(answer)),
  })
  await sending.send(requests * warmPart)
  // The same list as before the second sample, because the process keeps the buffer for a large response.
  await listAll(target, described)
  const samples = [await target.memory()]
  for (let part = 1; part <= memoryLooks; part++) {
    await sending.send((requests * (1 - warmPart)) / memoryLooks)
    const ended = target.ended()
    if (ended !== undefined) return findings.add(ended, { what: 'server' })
    await listAll(target, described)
    samples.push(await target.memory())
  }
  const shown = ({ residentBytes, heapBytes }: Memory) => `${mebibytes(residentBytes)} (heap ${mebibytes(heapBytes)})`
  console.log(`memory, after ${warmPart * 100} % of the requests and from there on: ${samples.map(shown).join(', ')}`)
  // Pages kept by the allocator vary by 150 MiB while the heap is constant; a leak raises the minimum.
  const least = (some: readonly Memory[], of: keyof Memory) => Math.min(...some.map((memory) => memory[of]))
  const early = samples.slice(0, samples.length / 2)
  const late = samples.slice(samples.length / 2)
  const measured = values.quick ? 'heapBytes' : 'residentBytes'
  const grown = least(late, measured) - least(early, measured)
  if (grown > maxGrownBytes) findings.add(`it grew by ${mebibytes(grown)}`, { what: 'memory' })
}

/** No other list is in flight now, so all list slots must be free. */
async function listAll({ url }: ServerProcess, { models }: Documents): Promise<void> {
  using connection = openConnection(url)
  for (const { path } of models) {
    const line = read(path)
    const { status } = await connection.send(line)
    if (status !== 200) findings.add(`answered ${status} when nobody else asked`, { what: 'list of all', line })
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`
}
