import type { Client } from '@pergola/client'
import { pause, untilAborted } from '../controllers/pause.ts'

/** Persisted state of a schedule. Times are RFC 3339 strings. */
export interface ScheduleState {
  /** Start of the last completed run. */
  readonly lastRun?: string | undefined
  /** Error of that run; absent on success. */
  readonly lastError?: string | undefined
  /** How many of the last runs failed in succession. */
  readonly failures?: number | undefined
  readonly nextRun?: string | undefined
  /** Identifies a requested run. */
  readonly requested?: string | undefined
}

/** The state after a run, and the request that the run answers. */
export interface EndedState extends Omit<ScheduleState, 'requested'> {
  readonly answers?: string | undefined
}

/** Stores the state of schedules. */
export interface ScheduleMemory {
  read(name: string): Promise<ScheduleState>
  /** Rejected unless `fence` is the current fencing token. */
  write(name: string, state: EndedState, fence: string | undefined): Promise<void>
  /** Resolves with the request when somebody wants a run now; undefined when the signal aborts. */
  requested(name: string, signal: AbortSignal): Promise<string | undefined>
}

/** How long one question to the host lasts. */
const waitSeconds = 30
/** Pause after a failed question, and after an answer of a host that cannot wait. */
const pauseMs = 30_000
/** An answer without a request that comes sooner is of a host that cannot wait. */
const leastWaitMs = 1_000

/** Stores the state in the plugin's status, through the host. */
export function hostMemory(client: Client): ScheduleMemory {
  return {
    read: async (name) => (await client.call({ method: 'GET', path: pathOf(name) })) as ScheduleState,
    write: async (name, state, fence) => {
      const headers = fence === undefined ? {} : { 'pergola-fence': fence }
      await client.call({ method: 'PUT', path: pathOf(name), body: state, headers })
    },
    requested: async (name, signal) => {
      while (!signal.aborted) {
        const began = performance.now()
        const path = `${pathOf(name)}?wait=${waitSeconds}`
        const state = await client.call({ method: 'GET', path, signal }).catch(() => ({}))
        const { requested } = state as ScheduleState
        if (requested !== undefined) return requested
        if (performance.now() - began < leastWaitMs) await pause(pauseMs, signal)
      }
      return undefined
    },
  }
}

function pathOf(name: string): string {
  return `/pergola/schedules/${name}`
}

/** Stores the state in memory. */
export function inMemorySchedules(): ScheduleMemory {
  const states = new Map<string, ScheduleState>()
  return {
    read: async (name) => states.get(name) ?? {},
    write: async (name, state) => {
      const { answers: _, ...kept } = state
      states.set(name, kept)
    },
    requested: (_, signal) => untilAborted(signal),
  }
}
