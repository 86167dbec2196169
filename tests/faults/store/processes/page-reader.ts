import { setTimeout as sleep } from 'node:timers/promises'
import { listedModel } from '../listed-model.ts'
import { openQuietly } from '../open-quietly.ts'
import { connectWatcher } from '../watcher.ts'

/**
 * Reads every object in pages, slowly, and says at the end what it took. Arguments: the database, how many objects there
 * are, and how many seconds to take. Runs with `--expose-gc`.
 */
export interface PageReaderReport {
  readonly pages: number
  readonly seconds: number
  /** From after the first pages to the most there ever was. */
  readonly growthBytes: number
  /** Times that the reader's connections were looked at, twice between two pages. */
  readonly looks: number
  /** Transactions that were open from one page to the next. */
  readonly held: readonly string[]
  readonly missing: number
  readonly repeated: number
}

const limit = 500
/** Connections are made and code is compiled during these. */
const firstPages = 20
const applicationName = 'page reader'

const [url = '', objects = '0', seconds = '0'] = process.argv.slice(2)
await using store = await openQuietly(url, applicationName)
await store.openModel(listedModel)
await using watcher = await connectWatcher(url)
const met = new Uint8Array(Number(objects))
const held: string[] = []
const began = performance.now()
const pageMs = (Number(seconds) * 1000) / (Number(objects) / limit)
let [pages, looks, base, peak] = [0, 0, 0, 0]

for (let after = await readPage(); after !== undefined; after = await readPage(after)) {
  if (pages < firstPages) continue
  if (pages === firstPages) base = process.memoryUsage.rss()
  peak = Math.max(peak, process.memoryUsage.rss())
  const before = await watcher.openTransactions(applicationName)
  await sleep(Math.max(1, began + pages * pageMs - performance.now()))
  const behind = new Set(await watcher.openTransactions(applicationName))
  looks += 2
  // What the store does on its own is over within milliseconds; a transaction seen twice belongs to the reading.
  held.push(...before.filter((transaction) => behind.has(transaction)))
}

const report: PageReaderReport = {
  pages,
  seconds: (performance.now() - began) / 1000,
  growthBytes: peak - base,
  looks,
  held,
  missing: met.filter((times) => times === 0).length,
  repeated: met.filter((times) => times > 1).length,
}
process.stdout.write(`${JSON.stringify(report)}\n`)

async function readPage(after?: Awaited<ReturnType<typeof store.list>>['next']) {
  collect()
  const page = await store.list(listedModel, { limit, total: 'none', ...(after !== undefined && { after }) })
  pages++
  for (const { name } of page.items) {
    const at = Number(name.slice('r-'.length))
    met[at] = (met[at] ?? 0) + 1
  }
  return page.next
}

/** Before every page, or the collector would give itself more room the longer it runs, some 60 MB in all. */
function collect(): void {
  if (!globalThis.gc) throw new Error('run with --expose-gc')
  globalThis.gc()
}
