import { openPostgresStore } from '../../../../packages/server/src/store/postgres/postgres-store.ts'
import { loadModels, runLoad, type Acknowledged } from '../load.ts'

/** Writes and reports acknowledged writes until it is killed. Arguments: the database and its mark. */
export type WriterLine = { readonly acknowledged: readonly Acknowledged[] } | { readonly refused: string }

const [url = '', prefix = ''] = process.argv.slice(2)
const fail = (error: unknown) => {
  throw error
}
const store = await openPostgresStore({ url, onConnectionLost: fail })
for (const model of loadModels) await store.openModel(model)
await runLoad(store, {
  prefix,
  stopped: () => false,
  onAcknowledged: (acknowledged) => say({ acknowledged }),
  onRefused: (mark) => say({ refused: mark }),
  onFailed: fail,
})

/** Writes synchronously to a pipe, so that lines before the kill are not lost. */
function say(line: WriterLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
