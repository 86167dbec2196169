import { ApiError } from '@pergola/api'
import type { Call } from '../call/call.ts'
import type { Lease, Store } from '../store/store.ts'

const fenceForm = /^([A-Za-z][A-Za-z0-9-]{0,62})\/([1-9][0-9]{0,14})$/
const writes = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** Lease names of a plugin have their own namespace: a plugin cannot even name leases of other plugins or of the host. */
export function leaseNameOf(plugin: string, name: string): string {
  return `plugin/${plugin}/own/${name}`
}

/** The lease that fences a plugin's write. Refuses the header from other callers, and on requests that do not check it. */
export function fenceOf({ info, caller, request }: Pick<Call, 'info' | 'caller' | 'request'>): Lease | undefined {
  const shown = request.headers['pergola-fence']
  if (shown === undefined) return undefined
  if (caller.kind !== 'plugin') {
    throw new ApiError('BadRequest', 'the header Pergola-Fence is only for writes of a plugin as itself; remove it')
  }
  const [, name, token] = fenceForm.exec(String(shown)) ?? []
  if (name === undefined) {
    throw new ApiError('BadRequest', `Pergola-Fence is <lease>/<token>, such as reminders/42, not "${String(shown)}"`)
  }
  if (!writes.has(info.verb)) throw unfenced()
  return { name: leaseNameOf(caller.plugin, name), token: Number(token) }
}

/** Rejects the header: ignoring it would write without the fence. */
export function unfenced(): ApiError {
  return new ApiError('BadRequest', 'only writes of objects can be fenced; remove the header Pergola-Fence')
}

/** Every write succeeds only while the lease is held. */
export function fencedStore(store: Store, fence: Lease): Store {
  return { ...store, write: (operations, how) => store.write(operations, { ...how, fence }) }
}
