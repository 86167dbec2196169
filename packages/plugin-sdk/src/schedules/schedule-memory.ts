import type { Client } from '@pergola/client'

/** What is known of a schedule from one process to the next; times as objects write them. */
export interface ScheduleState {
  /** When the last run began that came to an end. */
  readonly lastRun?: string | undefined
  /** Of that run; absent when it went well. */
  readonly lastError?: string | undefined
  readonly nextRun?: string | undefined
}

/** Where it is kept. */
export interface ScheduleMemory {
  read(name: string): Promise<ScheduleState>
  /** Only while the fence holds. */
  write(name: string, state: ScheduleState, fence: string | undefined): Promise<void>
}

/** In the plugin's status. */
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

/** For as long as the process lasts. */
export function ownMemory(): ScheduleMemory {
  const states = new Map<string, ScheduleState>()
  return {
    read: async (name) => states.get(name) ?? {},
    write: async (name, state) => void states.set(name, state),
  }
}
