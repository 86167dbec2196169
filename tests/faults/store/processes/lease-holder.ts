import { isApiError } from '../../../../packages/api/src/problem.ts'
import { fencedModel, fencedWriter } from '../fenced-writer.ts'
import { openQuietly } from '../open-quietly.ts'

/**
 * Holds a lease and writes with its fence until it is killed, even after it has lost the lease. Arguments: the
 * database, the lease, its own name, and how long the lease lasts.
 */
export interface HolderLine {
  /** Start of the write, in milliseconds since 1970. */
  readonly began: number
  readonly outcome: 'done' | 'lost' | 'failed'
}

const [url = '', lease = '', name = '', ttlMs = '0'] = process.argv.slice(2)
const store = await openQuietly(url, name)
await store.openModel(fencedModel)
const fence = await store.acquireLease(lease, { holder: name, ttlMs: Number(ttlMs) })
if (!fence) throw new Error(`${name} did not get the lease ${lease}`)
const write = fencedWriter(store, fence, name)
for (;;) {
  const began = Date.now()
  const line: HolderLine = { began, outcome: await attempt() }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function attempt(): Promise<HolderLine['outcome']> {
  try {
    await write()
    return 'done'
  } catch (error) {
    return isApiError(error) && error.reason === 'FenceLost' ? 'lost' : 'failed'
  }
}
