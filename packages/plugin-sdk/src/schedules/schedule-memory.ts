import type { Client } from '@pergola/client'

/** Persisted state of a schedule. Times are RFC 3339 strings. */
export interface ScheduleState {
  /** Start of the last completed run. */
  readonly lastRun?: string | undefined
  /** Error of that run; absent on success. */
  readonly lastError?: string | undefined
  readonly nextRun?: string | undefined
}

/** Stores the state of schedules. */
export interface ScheduleMemory {
  read(name: string): Promise<ScheduleState>
  /** Rejected unless `fence` is the current fencing token. */
  write(name: string, state: ScheduleState, fence: string | undefined): Promise<void>
}

/** Stores the state in the plugin's status, through the host. */
export function hostMemory(client: Client): ScheduleMemory {
  return {
    read: async (name) => (await client.call({ method: 'GET', path: pathOf(name) })) as ScheduleState,
    write: async (name, state, fence) => {
      const headers = fence === undefined ? {} : { 'pergola-fence': fence }
      await client.call({ method: 'PUT', path: pathOf(name), body: state, headers })
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
    write: async (name, state) => void states.set(name, state),
  }
}
