import { ApiError, type PluginSchedule } from '@pergola/api'
import { objectNotFound } from '../../call/not-found.ts'
import { isJsonObject } from '../../base/json-object.ts'
import type { Answer, IncomingRequest, PluginCaller } from '../../call/call.ts'
import { fencedStore, leaseNameOf } from '../../models/fence.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import type { JsonObject } from '../../models/object.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { writeStatus } from '../../models/verbs/write-status.ts'
import { retryRaces } from '../../store/retry-races.ts'
import type { Lease, Store } from '../../store/store.ts'
import { readJson } from '../../validation/read-json.ts'
import { compileSchema } from '../../validation/schema-validator.ts'
import { schedulesOf } from '../plugin-model.ts'
import type { KnownPlugins } from './known-plugins.ts'

export const mostSchedules = 200
const mostWaitSeconds = 60

/** The timestamp format of objects. */
const time = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$` }
const faults = compileSchema({
  type: 'object',
  additionalProperties: false,
  properties: {
    lastRun: time,
    lastError: { type: 'string', maxLength: 2_000 },
    failures: { type: 'integer', minimum: 0 },
    nextRun: time,
    // The request that this run answers.
    answers: { type: 'string', maxLength: 100 },
  },
})

export interface ScheduleApiParts {
  readonly store: Store
  readonly plugins: Model
  readonly known: Pick<KnownPlugins, 'onChange'>
}

export interface ScheduleApi {
  /** With `?wait=<seconds>`, answers when a run is requested, or after that time. */
  read(caller: PluginCaller, name: string, request: IncomingRequest): Promise<Answer>
  /** Only for the holder of the lease with the schedule's name. */
  write(caller: PluginCaller, name: string, asked: FencedRequest): Promise<Answer>
}

interface Told extends Omit<PluginSchedule, 'name' | 'requested'> {
  readonly answers?: string
}

interface FencedRequest {
  readonly request: IncomingRequest
  readonly fence: Lease | undefined
}

/** The state of a plugin's schedules, kept in its status, where the next process and users read it. */
export function createScheduleApi({ store, plugins, known }: ScheduleApiParts): ScheduleApi {
  const find = async ({ plugin }: PluginCaller) => {
    const stored = await store.get(plugins, plugin)
    if (!stored) throw objectNotFound('plugin', plugin)
    return stored
  }

  return {
    read: async (caller, name, request) => {
      const waitMs = Math.min(Number(request.query.get('wait') ?? 0), mostWaitSeconds) * 1000
      const over = waitMs > 0 ? AbortSignal.any([request.signal(), AbortSignal.timeout(waitMs)]) : AbortSignal.abort()
      for (;;) {
        // Before the read, so that no change is missed in between.
        const changed = nextChange(known, over)
        const found = schedulesOf(fromData((await find(caller)).data)).find((one) => one.name === name)
        if (over.aborted || found?.requested !== undefined) return answerOf(found ?? { name })
        await changed
      }
    },
    write: async (caller, name, { request, fence }) => {
      if (fence?.name !== leaseNameOf(caller.plugin, name)) {
        throw new ApiError('BadRequest', `show the lease of that name: Pergola-Fence: ${name}/<token>`)
      }
      const { answers, ...state } = (await readJson(request, { what: 'the schedule', faults })) as Told
      const parts = { store: fencedStore(store, fence), model: plugins }
      await retryRaces(async () => {
        const stored = await find(caller)
        const plugin = fromData(stored.data)
        const { requested } = schedulesOf(plugin).find((one) => one.name === name) ?? {}
        const isPending = requested !== undefined && requested !== answers
        await writeStatus(parts, stored, withSchedule(plugin, { name, ...state, ...(isPending && { requested }) }))
      })
      return answerOf({ name, ...state })
    },
  }
}

/** Resolves at the next change of a plugin, or when the signal aborts. */
function nextChange(known: ScheduleApiParts['known'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      listening[Symbol.dispose]()
      resolve()
    }
    const listening = known.onChange(end)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

/** In the form in which it can be stored again. */
function answerOf(known: PluginSchedule): Answer {
  const { name: _, ...schedule } = known
  return jsonAnswer(200, Buffer.from(JSON.stringify(schedule)))
}

/** The status of the plugin with this state of a schedule. */
export function withSchedule(plugin: JsonObject, schedule: PluginSchedule): object {
  const { status } = plugin
  const others = schedulesOf(plugin).filter(({ name }) => name !== schedule.name)
  if (others.length >= mostSchedules) {
    throw new ApiError('BadRequest', `the plugin has ${others.length} schedules already, the maximum`)
  }
  const schedules = [...others, schedule].toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return { ...(isJsonObject(status) && status), schedules }
}
