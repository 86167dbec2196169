import type { HealthFinding } from '@pergola/api'
import { randomUUID } from 'node:crypto'
import { isJsonObject } from '../../base/json-object.ts'
import type { Log } from '../../base/log.ts'
import type { SealingKey } from '../../config/sealing-keys.ts'
import { allObjects } from '../../store/all-objects.ts'
import { keepLease, replicaLeases } from '../../store/keep-lease.ts'
import type { Store } from '../../store/store.ts'
import type { Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'
import { keyIdOf } from './seal-text.ts'

/** Delay that collects changes of secrets into one run. */
const gatherMs = 1_000
/** Bounds the run; operators with more secrets still learn of most missing keys. */
const mostSecrets = 10_000
/** Renewed rarely: an idle replica should send few statements, and keys only change by restarts. */
const aliveMs = 60_000
/** Followed by a random name and the ids of the keys that a replica has. */
export const keyLeases = 'sealing keys/'

export interface SecretKeysParts {
  readonly store: Store
  readonly secrets: Model
  /** Those of this replica. */
  readonly keys: readonly SealingKey[]
  readonly log: Log
}

/** Which keys the stored secrets need, and which this replica has. */
export interface SecretKeys extends AsyncDisposable {
  /** Reads the secrets, and tells other processes which keys this replica has. */
  start(): Promise<void>
  /** For operators; names keys by their ids. */
  describe(): HealthFinding & { readonly detail: string }
  /** Reads the secrets again soon, because some have changed. */
  look(): void
}

export function createSecretKeys(parts: SecretKeysParts): SecretKeys {
  const { store, secrets, log } = parts
  const own = parts.keys.map(({ id }) => id)
  let needed = new Map<string, number>()
  let logged = ''
  const missing = () => [...needed].filter(([id]) => !own.includes(id))
  const read = async () => {
    needed = await neededKeys(store, secrets)
    const words = missingWords(missing(), own)
    if (words !== undefined && words !== logged) log.error({}, words)
    logged = words ?? ''
  }
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      read().catch((err: unknown) => log.warn({ err }, 'the keys of secrets could not be checked'))
    }, gatherMs).unref()
  }
  const leases = new AsyncDisposableStack()
  return {
    start: async () => {
      await read()
      leases.use(await keepLease({ store, log, aliveMs }, `${keyLeases}${randomUUID()}/${own.join(',')}`))
    },
    describe: () => {
      const lacking = missing()
      const words = missingWords(lacking, own)
      if (words === undefined) {
        const detail = `every stored secret can be read (keys here: ${listed(own)})`
        return { code: 'secrets-readable', values: { keys: own }, detail }
      }
      const counts = lacking.map(([, count]) => String(count))
      const values = { missing: lacking.map(([id]) => id), counts, keys: own }
      return { code: 'secrets-locked', values, detail: words }
    },
    look,
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer)
      await leases.disposeAsync()
    },
  }
}

/** Throws if a live replica lacks the key and could not decrypt. */
export async function assertReplicasHave(store: Store, key: SealingKey): Promise<void> {
  const replicas = await store.heldLeases(replicaLeases)
  const known = await store.heldLeases(keyLeases)
  const having = known.filter(({ name }) => keyIdsOfLease(name).includes(key.id))
  const without = Math.max(replicas.length, known.length) - having.length
  if (without === 0) return
  throw new Error(
    `${without} of ${Math.max(replicas.length, known.length)} running servers do not have the first key, ${key.id}, ` +
      'and could not read any secret afterwards: add it to their secrets.keys and restart them first',
  )
}

/** The ids of the keys of the replica that holds the lease. */
export function keyIdsOfLease(name: string): readonly string[] {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .split(',')
    .filter((id) => id !== '')
}

async function neededKeys(store: Store, secrets: Model): Promise<Map<string, number>> {
  const needed = new Map<string, number>()
  let seen = 0
  for await (const { data } of allObjects(store, secrets)) {
    const { data: values } = fromData(data)
    const ids = isJsonObject(values) ? Object.values(values).map((value) => keyIdOf(String(value))) : []
    for (const id of new Set(ids)) if (id !== undefined) needed.set(id, (needed.get(id) ?? 0) + 1)
    if (++seen === mostSecrets) break
  }
  return needed
}

function missingWords(missing: readonly (readonly [id: string, secrets: number])[], own: readonly string[]) {
  if (missing.length === 0) return undefined
  const each = missing.map(
    ([id, secrets]) => `${secrets} ${secrets === 1 ? 'secret needs' : 'secrets need'} the key ${id}`,
  )
  return `${each.join('; ')}; not in secrets.keys (keys here: ${listed(own)})`
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ')
}
