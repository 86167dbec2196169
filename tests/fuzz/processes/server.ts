import { assemble } from '../../../packages/server/src/assemble.ts'
import { loadConfig } from '../../../packages/server/src/base/config.ts'
import { createLog } from '../../../packages/server/src/base/log.ts'
import { sealingKey } from '../../../packages/server/src/base/sealing-keys.ts'

/** The server that is sent to. Its argument: the database. Errors go to its own output. */

export interface Memory {
  readonly residentBytes: number
  /** What lives on the heap, and beside it for its sake. */
  readonly heapBytes: number
}

export type ServerLine = { readonly url: string } | Memory

const [database = ''] = process.argv.slice(2)
const server = await assemble({
  config: loadConfig({
    env: {
      PERGOLA_DATABASE_URL: database,
      PERGOLA_SERVER_PORT: '0',
      PERGOLA_SERVER_STOP_DELAY: '0',
      PERGOLA_SERVER_DRAIN_TIMEOUT: '2',
    },
  }),
  keys: [sealingKey(Buffer.alloc(32, 'fuzz').toString('base64'))],
  log: createLog({ level: 'error', pretty: false, write: (text) => process.stderr.write(text) }),
})
tell({ url: server.url })

/** Any message asks for what it holds in memory once the garbage is gone. */
process.on('message', () => {
  // Twice: what has a finalizer goes in the second round.
  globalThis.gc?.()
  setImmediate(() => {
    globalThis.gc?.()
    const { rss, heapUsed, external } = process.memoryUsage()
    tell({ residentBytes: rss, heapBytes: heapUsed + external })
  })
})

function tell(line: ServerLine): void {
  process.send?.(line)
}
