import { isApiError, type ApiObject } from '@pergola/api'
import type { Cache } from '@pergola/client'
import type { Controller } from '../controller.ts'
import type { PluginContext } from '../handler-context.ts'
import type { WakingClock } from '../run/clock.ts'
import { errorLine, errorText } from '../run/error-text.ts'
import type { OnSettingsChange } from '../run/follow-settings.ts'
import type { RunLeased } from '../run/leases.ts'
import { wholeBy, type ClientBy } from '../run/model-client.ts'
import { createPluginContext } from '../run/plugin-context.ts'
import type { TraceRun } from '../run/trace-run.ts'
import type { HoldSource, Lead } from './hold.ts'
import { pause } from './pause.ts'
import { WorkQueue, type Failure, type Outcome } from './work-queue.ts'

export interface ControllerParts extends Pick<PluginContext, 'settings'> {
  readonly clock: WakingClock
  /** Creates clients with the plugin's own rights. */
  readonly clientBy: ClientBy
  readonly hold: HoldSource
  readonly runLeased: RunLeased
  readonly traceRun: TraceRun
  /** Absent when the settings never change. */
  readonly onSettingsChange?: OnSettingsChange
  readonly log: (text: string) => void
  /** Aborted when the plugin stops. */
  readonly signal: AbortSignal
}

/** Backoff between attempts to watch a model when the host rejects the watch. */
const retryMs = { first: 1_000, most: 30_000 }

/** Runs the controller whenever this process leads. Resolves when all work has ended. */
export async function runController(name: string, controller: Controller, parts: ControllerParts): Promise<void> {
  for await (const lead of parts.hold(name, parts.signal)) {
    if (parts.signal.aborted) return
    const signal = AbortSignal.any([parts.signal, lead.signal])
    await follow(controller, { ...parts, signal, name, lead })
  }
}

interface Following extends ControllerParts {
  readonly name: string
  readonly lead: Lead
}

async function follow(controller: Controller, parts: Following): Promise<void> {
  const { clock, signal, log, name } = parts
  const client = parts.clientBy({})
  const { group, version, plural } = controller.model
  let cache: Cache<ApiObject> | undefined
  const { deleted } = controller
  const call = calling(controller, parts)
  /** Last stored state of deleted objects that the controller has not been told of yet. */
  const gone = new Map<string, ApiObject>()
  const queue = new WorkQueue({
    concurrency: controller.concurrency,
    clock,
    work: async (key) => {
      const former = gone.get(key)
      const told = former && deleted ? await call(deleted, former) : settled
      if (told.kind !== 'settled') return told
      if (gone.get(key) === former) gone.delete(key)
      const present = cache?.get(key)
      return present ? call(controller.reconcile, present) : settled
    },
    onFailure: (key, failure) => log(wordsOf(`controller ${name}: ${controller.model.singular} "${key}"`, failure)),
  })
  parts.onSettingsChange?.(() => {
    for (const { metadata } of cache?.items() ?? []) queue.addLater(metadata.name)
  }, signal)
  for (let failures = 0; !signal.aborted; failures++) {
    const following = client.resource({ group, version, plural }).cache({ signal })
    cache = following
    following.on(({ type, object }) => {
      const { metadata } = object
      if (type === 'deleted' && deleted) gone.set(metadata.name, object)
      if (type === 'deleted' && !deleted) queue.forget(metadata.name)
      // A second event during the initial list means that the object has changed.
      else if (type === 'added' && following.revision === undefined) queue.addLater(metadata.name)
      else queue.add(metadata.name)
    })
    following.ready.then(
      () => (failures = 0),
      () => {},
    )
    const error = await following.ended
    if (signal.aborted) break
    const waitMs = Math.min(retryMs.most, retryMs.first * 2 ** failures)
    log(`controller ${name}: failed to watch ${plural}; retrying in ${waitMs} ms: ${String(error)}`)
    await pause(waitMs, signal)
  }
  await queue.stop()
}

type Call = (work: Controller['reconcile'], object: ApiObject) => Promise<Outcome>

const settled: Outcome = { kind: 'settled' }

function calling(controller: Controller, parts: Following): Call {
  const { clock, settings, signal, log, name, lead, runLeased, traceRun } = parts
  const whole = wholeBy(controller.model)
  const contextBy = (clientBy: ClientBy) =>
    createPluginContext({ clientBy, runLeased, clock, settings, signal, fence: lead.fence })
  return async (work, object) => {
    if (signal.aborted) return settled
    let afterMs: number | undefined
    const own = { term: lead.term ?? 0, requeueAfter: (ms: number) => void (afterMs = milliseconds(ms)) }
    // Passes a copy, because the cached object is shared, and fills in defaults.
    const copy = whole(structuredClone(object)) as never
    try {
      await traceRun(name, parts.clientBy, async (by) => work(copy, { ...contextBy(by), ...own }))
      return afterMs === undefined ? settled : { kind: 'again', afterMs }
    } catch (error) {
      if (isApiError(error) && error.reason === 'FenceLost') lead.lost?.()
      if (signal.aborted) return settled
      if (!isGivingUp(error)) return { kind: 'failed', error }
      log(`controller ${name}: ${controller.model.singular} "${object.metadata.name}" is given up: ${error.message}`)
      return settled
    }
  }
}

/** Checks the name rather than the class, because a bundle may contain this package twice. */
function isGivingUp(error: unknown): error is Error {
  return error instanceof Error && error.name === 'GiveUp'
}

function milliseconds(ms: number): number {
  if (typeof ms === 'number' && ms >= 0) return ms
  throw new Error(`requeueAfter must be 0 or more milliseconds; it is ${ms}`)
}

function wordsOf(what: string, { error, failures, waitMs }: Failure): string {
  const times = failures === 1 ? '' : ` ${failures} times in a row`
  // A version conflict is expected, and a repeated failure has been printed: neither needs a stack trace.
  const isBrief = failures > 1 || (isApiError(error) && error.reason === 'VersionConflict')
  const why = isBrief ? errorLine(error) : errorText(error)
  return `${what} failed${times}; retrying in ${waitMs} ms: ${why}`
}
