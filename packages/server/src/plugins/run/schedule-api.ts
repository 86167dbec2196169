import { ApiError } from '@pergola/api'
import { objectNotFound } from '../../call/not-found.ts'
import { isJsonObject } from '../../base/json-object.ts'
import type { Answer, IncomingRequest, PluginCaller } from '../../call/call.ts'
import { fencedStore, leaseNameOf } from '../../models/fence.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { writeStatus } from '../../models/verbs/write-status.ts'
import { retryRaces } from '../../store/retry-races.ts'
import type { Lease, Store, StoredObject } from '../../store/store.ts'
import { readJson } from '../../validation/read-json.ts'
import { compileSchema } from '../../validation/schema-validator.ts'
import { schedulesOf, type ScheduleStatus } from '../plugin-model.ts'

export const mostSchedules = 200

/** The timestamp format of objects. */
const time = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$` }
const faults = compileSchema({
  type: 'object',
  additionalProperties: false,
  properties: { lastRun: time, lastError: { type: 'string', maxLength: 2_000 }, nextRun: time },
})

export interface ScheduleApiParts {
  readonly store: Store
  readonly plugins: Model
}

export interface ScheduleApi {
  read(caller: PluginCaller, name: string): Promise<Answer>
  /** Only for the holder of the lease with the schedule's name. */
  write(caller: PluginCaller, name: string, asked: FencedRequest): Promise<Answer>
}

interface FencedRequest {
  readonly request: IncomingRequest
  readonly fence: Lease | undefined
}

/** The state of a plugin's schedules, kept in its status, where the next process and users read it. */
export function createScheduleApi({ store, plugins }: ScheduleApiParts): ScheduleApi {
  const find = async ({ plugin }: PluginCaller) => {
    const stored = await store.get(plugins, plugin)
    if (!stored) throw objectNotFound('plugin', plugin)
    return stored
  }

  return {
    read: async (caller, name) => {
      const known = schedulesOf(fromData((await find(caller)).data)).find((one) => one.name === name)
      return answerOf(known ?? { name })
    },
    write: async (caller, name, { request, fence }) => {
      if (fence?.name !== leaseNameOf(caller.plugin, name)) {
        throw new ApiError('BadRequest', `show the lease of that name: Pergola-Fence: ${name}/<token>`)
      }
      const schedule = { name, ...((await readJson(request, { what: 'the schedule', faults })) as object) }
      const parts = { store: fencedStore(store, fence), model: plugins }
      await retryRaces(async () => {
        const stored = await find(caller)
        await writeStatus(parts, stored, statusWith(stored, schedule))
      })
      return answerOf(schedule)
    },
  }
}

/** In the form in which it can be stored again. */
function answerOf(known: ScheduleStatus): Answer {
  const { name: _, ...schedule } = known
  return jsonAnswer(200, Buffer.from(JSON.stringify(schedule)))
}

function statusWith({ data }: StoredObject, schedule: ScheduleStatus): object {
  const plugin = fromData(data)
  const { status } = plugin
  const others = schedulesOf(plugin).filter(({ name }) => name !== schedule.name)
  if (others.length >= mostSchedules) {
    throw new ApiError('BadRequest', `the plugin has ${others.length} schedules already, the maximum`)
  }
  const schedules = [...others, schedule].toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return { ...(isJsonObject(status) && status), schedules }
}
