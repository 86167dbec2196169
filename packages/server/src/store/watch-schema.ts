import type { Log } from '../base/log.ts'
import { UnusableSchema } from './schema-version.ts'
import type { Store } from './store.ts'

const everyMs = 60_000

/** Whether this server can still use the database, as last seen. */
export interface SchemaWatch extends Disposable {
  /** The schema number of the database. Throws `UnusableSchema`. */
  number(): number
}

/** A newer server may upgrade the database beyond this one at any time. */
export async function watchSchema(
  store: Pick<Store, 'schemaNumber'>,
  log: Pick<Log, 'error'>,
  intervalMs = everyMs,
): Promise<SchemaWatch> {
  let number = await store.schemaNumber()
  let unusable: UnusableSchema | undefined
  const read = async () => {
    try {
      number = await store.schemaNumber()
      unusable = undefined
    } catch (error) {
      // Outages are reported elsewhere.
      if (!(error instanceof UnusableSchema)) return
      if (!unusable) log.error({}, error.message)
      unusable = error
    }
  }
  const timer = setInterval(() => void read(), intervalMs).unref()
  return {
    number: () => {
      if (unusable) throw unusable
      return number
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
