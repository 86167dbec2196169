import { ApiError } from '@pergola/api'
import type { Answer, IncomingRequest, PluginCaller } from '../../call/call.ts'
import { leaseNameOf } from '../../models/fence.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import type { Lease, Store } from '../../store/store.ts'
import { readJson } from '../../validation/read-json.ts'
import { compileSchema } from '../../validation/schema-validator.ts'

/** Maximum number of leases of a plugin, over all its versions: each keeps a row in the database. */
export const mostLeases = 200
export const longestSeconds = 300

const faults = compileSchema({
  type: 'object',
  required: ['seconds'],
  additionalProperties: false,
  properties: { seconds: { type: 'integer', minimum: 1, maximum: longestSeconds } },
})

export interface LeaseApiParts {
  readonly store: Store
  /** Whether this process of a plugin is running on this replica. */
  readonly isRunning: (start: string) => boolean
  /** Whether the process runs the active version and its models are served here; other processes must not lead. */
  readonly mayLead: (caller: PluginCaller) => boolean
}

export interface LeaseApi {
  /** Acquires the lease for the requesting process, or renews it. */
  take(caller: PluginCaller, name: string, request: IncomingRequest): Promise<Answer>
  /** Releases the lease. */
  giveBack(caller: PluginCaller, name: string): Promise<Answer>
}

interface Given {
  readonly start: string
  readonly lease: Lease
}

/** Leases for work that one process of a plugin may do at a time, across all replicas. */
export function createLeaseApi({ store, isRunning, mayLead }: LeaseApiParts): LeaseApi {
  /** Leases granted by this replica, at most one per accepted name. */
  const given = new Map<string, Given>()
  const known = new Set<string>()
  const assertRoom = async ({ plugin }: PluginCaller, name: string) => {
    if (known.has(name)) return
    const text = `SELECT name FROM leases WHERE substr(name, 1, ${leaseNameOf(plugin, '').length}) = $1`
    const names = (await store.sql({ text, values: [leaseNameOf(plugin, '')] })).map((row) => row['name'])
    if (names.length >= mostLeases && !names.includes(name)) {
      throw new ApiError('BadRequest', `the plugin has used ${names.length} names for leases; use one of them again`)
    }
    known.add(name)
  }
  /** Releases the lease of a process that ended without releasing it, so that other processes need not wait for its expiry. */
  const forgetEnded = async (name: string, start: string) => {
    const before = given.get(name)
    if (before && before.start !== start && !isRunning(before.start)) await store.releaseLease(before.lease)
  }

  return {
    take: async (caller, short, request) => {
      const { seconds } = (await readJson(request, { what: 'the lease', faults })) as { readonly seconds: number }
      const { plugin, start } = caller
      const name = leaseNameOf(plugin, short)
      if (!mayLead(caller)) {
        throw new ApiError('PluginNotStarted', 'only processes of the started version can hold leases; try again', {
          headers: { 'retry-after': '1' },
        })
      }
      await assertRoom(caller, name)
      await forgetEnded(name, start)
      const lease = await store.acquireLease(name, { holder: start, ttlMs: seconds * 1000 })
      if (!lease) {
        throw new ApiError('InUse', `another process of the plugin holds the lease "${short}"; try again`, {
          headers: { 'retry-after': '1' },
        })
      }
      given.set(name, { start, lease })
      return jsonAnswer(200, Buffer.from(JSON.stringify({ lease: short, token: lease.token })))
    },
    giveBack: async ({ plugin, start }, short) => {
      const name = leaseNameOf(plugin, short)
      const held = given.get(name)
      if (held?.start === start) {
        given.delete(name)
        await store.releaseLease(held.lease)
      }
      return jsonAnswer(200, Buffer.from('{}'))
    },
  }
}
