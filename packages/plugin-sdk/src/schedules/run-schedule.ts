import { isApiError } from '@pergola/api'
import type { ControllerParts } from '../controllers/run-controller.ts'
import type { Lead } from '../controllers/hold.ts'
import { pause } from '../controllers/pause.ts'
import type { WakingClock } from '../run/clock.ts'
import { errorLine, errorText } from '../run/error-text.ts'
import { createPluginContext } from '../run/plugin-context.ts'
import type { Schedule } from '../schedule.ts'
import { nextRun } from './next-run.ts'
import type { ScheduleMemory, ScheduleState } from './schedule-memory.ts'

export interface ScheduleParts extends ControllerParts {
  readonly memory: ScheduleMemory
}

/** Retry interval when the host does not respond. */
const retryMs = 1_000
const mostErrorLength = 1_000

/**
 * Runs the schedule when due, in the leading process. Only a completed run counts: a run interrupted by the end of the process
 * or of its leadership is repeated. Several missed runs are made up for by one.
 */
export async function runSchedule(name: string, schedule: Schedule, parts: ScheduleParts): Promise<void> {
  for await (const lead of parts.hold(name, parts.signal)) {
    if (parts.signal.aborted) return
    const signal = AbortSignal.any([parts.signal, lead.signal])
    await attend({ ...parts, name, schedule, lead, signal })
  }
}

interface Attending extends ScheduleParts {
  readonly name: string
  readonly schedule: Schedule
  readonly lead: Lead
}

async function attend(attending: Attending): Promise<void> {
  const { name, schedule, clock, memory, signal, log } = attending
  let state = await insist(attending, () => memory.read(name))
  while (state && !signal.aborted) {
    const due = dueAt(schedule, state, clock.now())
    if (due === undefined) {
      log(`schedule ${name}: matches no date, so it never runs`)
      return untilAborted(signal)
    }
    const planned = { ...state, nextRun: isoOf(due) }
    if (state.nextRun !== planned.nextRun && !(await remember(attending, planned))) return
    await untilDue(clock, due, signal)
    if (signal.aborted) return
    const ended = await runOnce(attending)
    if (!ended) return
    state = { ...ended, nextRun: undefined }
    const next = dueAt(schedule, state, clock.now())
    state = next === undefined ? state : { ...state, nextRun: isoOf(next) }
    if (!(await remember(attending, state))) return
  }
}

/** Next run after the last one; before the first run, counted from when the schedule became known. */
function dueAt({ timing }: Schedule, { lastRun, nextRun: planned }: ScheduleState, now: number): number | undefined {
  if (lastRun !== undefined) return nextRun(timing, Date.parse(lastRun))
  const fresh = nextRun(timing, now)
  if (planned === undefined || fresh === undefined) return fresh
  return Math.min(fresh, Date.parse(planned))
}

/** Undefined when the run was interrupted. */
async function runOnce({ name, schedule, lead, ...parts }: Attending): Promise<ScheduleState | undefined> {
  const { clock, settings, signal, clientBy, runLeased, log } = parts
  const context = createPluginContext({ clientBy, runLeased, clock, settings, signal, fence: lead.fence })
  const lastRun = clock.iso()
  try {
    await schedule.run(context)
    return { lastRun }
  } catch (error) {
    if (isFenceLost(error)) lead.lost?.()
    if (signal.aborted) return undefined
    log(`schedule ${name} failed: ${errorText(error)}`)
    return { lastRun, lastError: errorLine(error).slice(0, mostErrorLength) }
  }
}

/** Returns false when another process leads or the plugin stops. */
async function remember(attending: Attending, state: ScheduleState): Promise<boolean> {
  const { name, memory, lead } = attending
  const written = await insist(attending, async () => {
    await memory.write(name, state, lead.fence)
    return true
  })
  return written ?? false
}

/** Retries until it succeeds; undefined when this process no longer leads or stops. */
async function insist<Done>(
  { name, lead, signal, log }: Attending,
  act: () => Promise<Done>,
): Promise<Done | undefined> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (isFenceLost(error)) lead.lost?.()
      if (signal.aborted) return undefined
      log(`schedule ${name}: the host is asked again in ${retryMs} ms: ${String(error)}`)
      await pause(retryMs, signal)
    }
  }
}

function isFenceLost(error: unknown): boolean {
  return isApiError(error) && error.reason === 'FenceLost'
}

function isoOf(time: number): string {
  return new Date(time).toISOString()
}

function untilDue(clock: WakingClock, due: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const leave = () => {
      cancel()
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const cancel = clock.after(Math.max(0, due - clock.now()), leave)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
  })
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
