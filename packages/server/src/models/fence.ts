import { ApiError } from '@pergola/api'
import type { Call } from '../base/call.ts'
import type { Lease, Store } from '../store/store.ts'

const fenceForm = /^([A-Za-z][A-Za-z0-9-]{0,62})\/([1-9][0-9]{0,14})$/
const writes = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** What plugins call their leases is each plugin's own: of those of another, or the host's, not even the name can be said. */
export function leaseNameOf(plugin: string, name: string): string {
  return `plugin/${plugin}/own/${name}`
}

/** The lease by which a plugin fences a write; whoever else shows one, or shows it where nothing looks at it, is told so. */
export function fenceOf({ info, caller, request }: Pick<Call, 'info' | 'caller' | 'request'>): Lease | undefined {
  const shown = request.headers['pergola-fence']
  if (shown === undefined) return undefined
  if (caller.kind !== 'plugin') {
    throw new ApiError('BadRequest', 'Pergola-Fence is for what a plugin writes as itself; leave it out')
  }
  const [, name, token] = fenceForm.exec(String(shown)) ?? []
  if (name === undefined) {
    throw new ApiError('BadRequest', `Pergola-Fence is <lease>/<token>, such as reminders/42, not "${String(shown)}"`)
  }
  if (!writes.has(info.verb)) throw unfenced()
  return { name: leaseNameOf(caller.plugin, name), token: Number(token) }
}

/** Better than to do without a word what was to be done only as long as a lease is held. */
export function unfenced(): ApiError {
  return new ApiError('BadRequest', 'only writes of objects are fenced; leave Pergola-Fence out')
}

/** Every write is done only while the lease is held. */
export function fencedStore(store: Store, fence: Lease): Store {
  return { ...store, write: (operations, how) => store.write(operations, { ...how, fence }) }
}
