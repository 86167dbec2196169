/** For as long as the signal is not aborted, this process does what is done by one at a time. */
export interface Lead {
  readonly signal: AbortSignal
  /** Shown with every write, which is refused once another leads. */
  readonly fence?: string | undefined
  /** Grows with every lead, whoever has it. */
  readonly term?: number | undefined
  /** To be told that a write was refused since another leads. */
  readonly lost?: (() => void) | undefined
}

/** When this process leads in something, and when no longer; ends with the signal. */
export type HoldSource = (name: string, signal: AbortSignal) => AsyncIterable<Lead>

/** For a process that is the only one. */
export const leadAlways: HoldSource = async function* (_name, signal) {
  yield { signal }
}

/** Writes show the fence; reads need none. */
export function fencedFetch(fetch: typeof globalThis.fetch, fence: string): typeof globalThis.fetch {
  return (input, init = {}) => {
    const { method = 'GET' } = init
    if (method === 'GET' || method === 'HEAD') return fetch(input, init)
    return fetch(input, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'pergola-fence': fence },
    })
  }
}
