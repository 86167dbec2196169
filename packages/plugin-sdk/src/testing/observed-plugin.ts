import type { ApiObject } from '@pergola/api'
import type { Controller, ControllerContext } from '../controller.ts'
import type { AnyModel } from '../model/model.ts'
import type { AnyPlugin } from '../plugin.ts'
import type { WakingClock } from '../run/clock.ts'
import type { Schedule } from '../schedule.ts'
import { nextRun } from '../schedules/next-run.ts'
import type { ScheduleMemory, ScheduleState } from '../schedules/schedule-memory.ts'

/** A plugin instrumented to track its controllers and schedules. */
export interface ObservedPlugin {
  /** The plugin with instrumented functions. */
  readonly plugin: AnyPlugin
  readonly remembering: (memory: ScheduleMemory) => ScheduleMemory
  /** Describes work that is still pending at the current time; undefined when there is none. */
  readonly unfinished: () => Promise<string | undefined>
}

export interface ObservingParts {
  readonly clock: WakingClock
  /** Lists all objects of a model on the host. */
  readonly list: (model: AnyModel) => Promise<readonly ApiObject[]>
}

export function observePlugin(plugin: AnyPlugin, { clock, list }: ObservingParts): ObservedPlugin {
  /** Runs in progress, and runs started so far. */
  const runs = { now: 0, begun: 0 }
  const counted = async <Done>(act: () => Promise<Done>): Promise<Done> => {
    runs.now++
    runs.begun++
    try {
      return await act()
    } finally {
      runs.now--
    }
  }
  const controllers = Object.entries(plugin.controllers ?? {}).map(([name, controller]) => ({
    name,
    ...observeController(controller, counted),
  }))
  const schedules = Object.entries(plugin.schedules ?? {})
  const planned = new Map<string, ScheduleState>()

  const unseen = async () => {
    for (const { name, observed, seen } of controllers) {
      const objects = await list(observed.model)
      const missed = objects.find(({ metadata }) => seen.get(metadata.name) !== metadata.version)
      if (missed) return `the controller ${name} has not reconciled ${missed.kind} "${missed.metadata.name}"`
    }
    return undefined
  }
  const isPlanned = ([name, { timing }]: readonly [string, Schedule]) => {
    const next = planned.get(name)?.nextRun
    return next === undefined ? nextRun(timing, clock.now()) === undefined : Date.parse(next) > clock.now()
  }
  return {
    plugin: {
      ...plugin,
      controllers: Object.fromEntries(controllers.map(({ name, observed }) => [name, observed])),
      schedules: Object.fromEntries(
        schedules.map(([name, one]) => [name, { ...one, run: (context) => counted(() => one.run(context)) }]),
      ),
    },
    remembering: (memory) => ({
      read: async (name) => {
        const state = await memory.read(name)
        planned.set(name, state)
        return state
      },
      write: async (name, state, fence) => {
        await memory.write(name, state, fence)
        planned.set(name, state)
      },
      requested: (name, signal) => memory.requested(name, signal),
    }),
    unfinished: async () => {
      const { begun } = runs
      const missed = await unseen()
      if (missed !== undefined) return missed
      const [late] = schedules.find((one) => !isPlanned(one)) ?? []
      if (late !== undefined) return `the schedule ${late} has not finished`
      // A run may have started while the objects were listed.
      return runs.now === 0 && runs.begun === begun ? undefined : 'something is still running'
    },
  }
}

type Counted = <Done>(act: () => Promise<Done>) => Promise<Done>

function observeController(controller: Controller, counted: Counted) {
  /** Version of each object in the last completed call, by name. */
  const seen = new Map<string, number | undefined>()
  const observed: Controller = {
    ...controller,
    reconcile: (object: ApiObject, context: ControllerContext) =>
      counted(async () => {
        const { name, version } = object.metadata
        try {
          await controller.reconcile(object as never, context)
        } finally {
          seen.set(name, version)
        }
      }),
  }
  return { observed, seen }
}
