import { setTimeout as sleep } from 'node:timers/promises'
import { listedModel } from '../listed-model.ts'
import { openQuietly } from '../open-quietly.ts'
import { connectWatcher } from '../watcher.ts'

/**
 * Reads all objects slowly in pages and reports its memory and transactions. Arguments: the database, the number of objects
 * and the number of seconds to take. Run with `--expose-gc`.
 */
export interface PageReaderReport {
  readonly pages: number
  readonly seconds: number
  /** Growth of the heap from the first pages to its maximum. */
  readonly growthBytes: number
  /** Number of checks of the reader's connections, two between two pages. */
  readonly looks: number
  /** Transactions that stayed open from one page to the next. */
  readonly held: readonly string[]
  readonly missing: number
  readonly repeated: number
}

const limit = 500
/** Warm-up pages, which open connections and compile code. */
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
  // Background transactions of the store last milliseconds; a transaction seen twice belongs to the reader.
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

/** Collects garbage before every page; otherwise the heap grows by some 60 MB over the run. */
function collect(): void {
  if (!globalThis.gc) throw new Error('run with --expose-gc')
  globalThis.gc()
}
