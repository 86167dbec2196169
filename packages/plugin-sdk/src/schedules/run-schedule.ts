import { isApiError } from '@pergola/api'
import type { ControllerParts } from '../controllers/run-controller.ts'
import type { Lead } from '../controllers/hold.ts'
import { pause, untilAborted } from '../controllers/pause.ts'
import type { WakingClock } from '../run/clock.ts'
import { errorLine, errorText } from '../run/error-text.ts'
import { createPluginContext } from '../run/plugin-context.ts'
import type { Schedule } from '../schedule.ts'
import { nextRun } from './next-run.ts'
import type { EndedState, ScheduleMemory, ScheduleState } from './schedule-memory.ts'

export interface ScheduleParts extends ControllerParts {
  readonly memory: ScheduleMemory
}

/** Retry interval when the host does not respond. */
const retryMs = 1_000
const mostErrorLength = 1_000
/** Delay of the first retry of a failed run. */
const firstRetryMs = 30_000
/** The longest delay is 64 times the first one, about half an hour. */
const mostDoublings = 6

/**
 * Runs the schedule when due, in the leading process. Only a completed run counts: a run interrupted by the end of the process
 * or of its leadership is repeated. Several missed runs are made up for by one. A failed run is retried before its next time.
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
  let state: ScheduleState | undefined = await insist(attending, () => memory.read(name))
  while (state && !signal.aborted) {
    const due = dueAt(schedule, state, clock.now())
    if (due === undefined) log(`schedule ${name}: matches no date, so it runs only when requested`)
    const { requested: _, ...known } = state
    const planned = { ...known, nextRun: due === undefined ? undefined : isoOf(due) }
    if (known.nextRun !== planned.nextRun && !(await remember(attending, planned))) return
    const answers = await untilDueOrRequested(attending, due)
    if (signal.aborted) return
    const ended = await runOnce(attending, state.failures)
    if (!ended) return
    const next = nextAfter(schedule, ended, clock.now())
    state = next === undefined ? ended : { ...ended, nextRun: isoOf(next) }
    if (!(await remember(attending, { ...state, answers }))) return
  }
}

/** Next run after the last one; before the first run, counted from when the schedule became known. */
function dueAt(schedule: Schedule, state: ScheduleState, now: number): number | undefined {
  const { lastRun, failures, nextRun: planned } = state
  const regular = nextRun(schedule.timing, lastRun === undefined ? now : Date.parse(lastRun))
  const isKept = planned !== undefined && (lastRun === undefined || failures !== undefined)
  return isKept && regular !== undefined ? Math.min(regular, Date.parse(planned)) : regular
}

/** After a failure sooner than usual: repeated failures double the delay, up to the next regular run. */
function nextAfter({ timing }: Schedule, { lastRun, failures }: ScheduleState, now: number): number | undefined {
  const regular = lastRun === undefined ? undefined : nextRun(timing, Date.parse(lastRun))
  if (failures === undefined) return regular
  const again = now + firstRetryMs * 2 ** Math.min(failures - 1, mostDoublings)
  return regular === undefined ? again : Math.min(regular, again)
}

/** Resolves with the request if somebody wants a run before its time. */
async function untilDueOrRequested(
  { name, clock, memory, signal }: Attending,
  due: number | undefined,
): Promise<string | undefined> {
  const waiting = new AbortController()
  const either = AbortSignal.any([signal, waiting.signal])
  try {
    const isDue = due === undefined ? untilAborted(signal) : untilDue(clock, due, either)
    return await Promise.race([isDue, memory.requested(name, either)])
  } finally {
    waiting.abort()
  }
}

/** Undefined when the run was interrupted. */
async function runOnce(
  { name, schedule, lead, ...parts }: Attending,
  failedBefore = 0,
): Promise<ScheduleState | undefined> {
  const { clock, settings, signal, runLeased, log } = parts
  const lastRun = clock.iso()
  try {
    await parts.traceRun(name, parts.clientBy, async (clientBy) =>
      schedule.run(createPluginContext({ clientBy, runLeased, clock, settings, signal, fence: lead.fence })),
    )
    return { lastRun }
  } catch (error) {
    if (isFenceLost(error)) lead.lost?.()
    if (signal.aborted) return undefined
    log(`schedule ${name} failed: ${errorText(error)}`)
    return { lastRun, lastError: errorLine(error).slice(0, mostErrorLength), failures: failedBefore + 1 }
  }
}

/** Returns false when another process leads or the plugin stops. */
async function remember(attending: Attending, state: EndedState): Promise<boolean> {
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

function untilDue(clock: WakingClock, due: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const leave = () => {
      cancel()
      signal.removeEventListener('abort', leave)
      resolve(undefined)
    }
    const cancel = clock.after(Math.max(0, due - clock.now()), leave)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
  })
}
