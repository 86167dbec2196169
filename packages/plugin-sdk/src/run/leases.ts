import { ApiError, isApiError } from '@pergola/api'
import { durationMs } from '../duration.ts'
import type { HoldSource, Lead } from '../controllers/hold.ts'
import type { LeaseOptions } from '../handler-context.ts'

const nameForm = /^[A-Za-z][A-Za-z0-9-]{0,62}$/
const usualWait = '10s'

/** Runs work while this process holds a lease. */
export type RunLeased = <Result>(
  wanted: LeaseOptions & { readonly name: string; readonly signal: AbortSignal },
  work: (lead: Lead, signal: AbortSignal) => Promise<Result>,
) => Promise<Result>

/** `taken` are the names of controllers and schedules, which hold theirs for as long as the process runs. */
export function createLeases(hold: HoldSource, taken: readonly string[]): RunLeased {
  /** The end of the last work by name: for the host the process is one holder. */
  const last = new Map<string, Promise<unknown>>()
  return async ({ name, signal, wait = usualWait }, work) => {
    const waitMs = durationMs(wait)
    if (waitMs === undefined) throw new Error(`wait must be a duration such as "10s", not "${wait}"`)
    assertName(name, taken)
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(), waitMs)
    const mine = Promise.withResolvers<void>()
    const before = last.get(name)
    const ended = Promise.all([before, mine.promise])
    last.set(name, ended)
    try {
      const giveUp = AbortSignal.any([signal, waiting.signal])
      await orAborted(before, giveUp)
      for await (const lead of hold(name, giveUp)) {
        clearTimeout(timer)
        return await leading(lead, (held) => work(held, AbortSignal.any([signal, held.signal])))
      }
      signal.throwIfAborted()
      throw new ApiError('InUse', `the lease "${name}" was not free within ${wait}; try again`)
    } finally {
      clearTimeout(timer)
      mine.resolve()
      if (last.get(name) === ended) last.delete(name)
    }
  }
}

async function leading<Result>(lead: Lead, work: (lead: Lead) => Promise<Result>): Promise<Result> {
  try {
    return await work(lead)
  } catch (error) {
    if (isApiError(error) && error.reason === 'FenceLost') lead.lost?.()
    throw error
  }
}

/** Resolves with the promise, or when the signal is aborted. */
function orAborted(promise: Promise<unknown> | undefined, signal: AbortSignal): Promise<unknown> {
  if (!promise || signal.aborted) return Promise.resolve()
  return Promise.race([promise, new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))])
}

function assertName(name: string, taken: readonly string[]): void {
  if (!nameForm.test(name)) {
    throw new Error(
      `the name of a lease begins with a letter and has letters, digits and "-", 63 at most; not "${name}"`,
    )
  }
  if (taken.includes(name)) {
    throw new Error(`the lease "${name}" belongs to the controller or schedule of that name; choose another name`)
  }
}
