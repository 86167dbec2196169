export interface Backoff {
  readonly firstMs: number
  readonly mostMs: number
}

/** Exponential backoff with a maximum. Half of the wait is random, so that clients do not retry simultaneously. */
export function backoffMs({ firstMs, mostMs }: Backoff, failures: number): number {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(failures, 30))
  return whole / 2 + (Math.random() * whole) / 2
}

/** Rejects with the signal's reason when aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal))
    const aborted = () => {
      clearTimeout(timer)
      if (signal) reject(reasonOf(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, ms)
    signal?.addEventListener('abort', aborted, { once: true })
  })
}

export function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason })
}

/** Parses `Retry-After`, in seconds or as a date; undefined when absent or invalid. */
export function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
