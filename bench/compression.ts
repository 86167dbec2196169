import { promisify } from 'node:util'
import { gzip, gzipSync, type ZlibOptions } from 'node:zlib'
import { effort } from '../packages/server/src/http/compress.ts'
import { peoplePath, personOf } from './http/people.ts'
import { runParts, type Part } from './measure/part.ts'
import { median } from './measure/statistics.ts'

/**
 * CPU and size of lists of 5, 20 and 500 objects as gzip: of each level, and with the sizes of window and memory that the server
 * uses or the usual ones; on the thread that serves requests or in the pool. Interleaved rounds.
 */
const quick = process.argv.includes('--quick')
const rounds = quick ? 7 : 25
/** Compressed in each round. */
const bytesPerRound = (quick ? 2 : 8) * 1024 * 1024
const inPool = promisify(gzip)
const words =
  'order invoice customer delivery pending address express paid return stock shelf label parcel contact note urgent weekly report team review'.split(
    ' ',
  )

/** The same numbers in every run. */
function createNumbers(): (below: number) => number {
  let state = 42
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** People as a list answers them, with text that does not repeat. */
function listOf(count: number): Buffer {
  const number = createNumbers()
  const hex = (digits: number) => Array.from({ length: digits }, () => number(16).toString(16)).join('')
  const items = Array.from({ length: count }, (_, at) => {
    const { metadata, spec } = personOf(at)
    const creationTimestamp = new Date(1_767_225_600_000 + number(1e9)).toISOString()
    const uid = `${hex(8)}-${hex(4)}-7${hex(3)}-a${hex(3)}-${hex(12)}`
    const about = Array.from({ length: 40 }, () => words[number(words.length)]).join(' ')
    return {
      apiVersion: 'bench.example.com/v1',
      kind: 'Person',
      metadata: {
        ...metadata,
        uid,
        version: 1 + number(9),
        generation: 1,
        creationTimestamp,
        selfLink: `${peoplePath}/${metadata.name}`,
      },
      spec: { ...spec, about },
    }
  })
  return Buffer.from(JSON.stringify({ apiVersion: 'bench.example.com/v1', kind: 'PersonList', items }))
}

interface Way {
  readonly name: string
  readonly options: ZlibOptions
  readonly run: (body: Buffer, options: ZlibOptions) => Buffer | Promise<Buffer>
}

const levels = [1, 2, 3, 4, 5, 6]
const ways: readonly Way[] = [
  ...levels.map((level) => ({ name: `level ${level}, in the pool`, options: { ...effort, level }, run: inPool })),
  { name: `level ${effort.level}, usual window`, options: { level: effort.level }, run: inPool },
  { name: `level ${effort.level}, while serving`, options: effort, run: gzipSync },
]

await runParts('compression', { lists })

async function lists(): ReturnType<Part> {
  const facts = []
  for (const count of [5, 20, 500]) {
    const body = listOf(count)
    console.log(`list ${count}, ${body.length} bytes`)
    const measured = await measure(body)
    for (const { name, length, cpu, serving } of measured) {
      const share = ((100 * length) / body.length).toFixed(1)
      console.log(
        `  ${name.padEnd(24)} ${String(length).padStart(7)} bytes ${share.padStart(5)} %  CPU ${cpu.toFixed(0).padStart(6)} µs, of these serving ${serving.toFixed(0).padStart(6)}`,
      )
    }
    const [chosen] = measured
    const what = `${count} objects, ${body.length} bytes`
    facts.push(
      { what: `${what}: size as gzip`, value: chosen?.length ?? Number.NaN, unit: 'bytes' },
      { what: `${what}: CPU of compressing them, all threads`, value: chosen?.cpu ?? Number.NaN, unit: 'µs' },
      { what: `${what}: of these on the serving thread`, value: chosen?.serving ?? Number.NaN, unit: 'µs' },
    )
  }
  return {
    figure: `a list of 20 objects takes ${facts[4]?.value.toFixed(0)} µs to compress`,
    short: [],
    result: {
      section: 'compression',
      title: 'Compression of lists',
      text: 'Lists, discovery and OpenAPI documents of 1 KiB or more are compressed with gzip for clients that ask for it. `http.compression: false` turns it off.',
      facts,
    },
  }
}

/** Medians of every way, in interleaved rounds. */
async function measure(body: Buffer) {
  const repeats = Math.max(1, Math.round(bytesPerRound / body.length))
  const figures = ways.map(() => ({ all: [] as number[], serving: [] as number[] }))
  for (let round = 0; round <= rounds; round++) {
    for (const [at, { options, run }] of ways.entries()) {
      const before = { all: process.cpuUsage(), serving: process.threadCpuUsage() }
      for (let repeat = 0; repeat < repeats; repeat++) await run(body, options)
      // The first one warms up.
      if (round === 0) continue
      figures[at]?.all.push(perBody(process.cpuUsage(before.all), repeats))
      figures[at]?.serving.push(perBody(process.threadCpuUsage(before.serving), repeats))
    }
  }
  return ways.map(({ name, options }, at) => {
    const { all = [], serving = [] } = figures[at] ?? {}
    return { name, length: gzipSync(body, options).length, cpu: median(all), serving: median(serving) }
  })
}

function perBody({ user, system }: { readonly user: number; readonly system: number }, repeats: number): number {
  return (user + system) / repeats
}
