import { assemble } from '../../../packages/server/src/assembly/assemble.ts'
import { loadConfig } from '../../../packages/server/src/config/config.ts'
import { createLog } from '../../../packages/server/src/base/log.ts'
import { sealingKey } from '../../../packages/server/src/config/sealing-keys.ts'

/** The server under test. Argument: the database. Errors go to stderr. */

export interface Memory {
  readonly residentBytes: number
  /** Bytes of the heap and of external memory. */
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

/** Every message is a request for the memory in use after a garbage collection. */
process.on('message', () => {
  // Twice: objects with a finalizer are freed in the second round.
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
