/** Leadership of this process, until the signal is aborted. */
export interface Lead {
  readonly signal: AbortSignal
  /** Fencing token sent with every write; the host rejects the write once another process leads. */
  readonly fence?: string | undefined
  /** Increases with every change of leader. */
  readonly term?: number | undefined
  /** Call this when a write fails with `FenceLost`. */
  readonly lost?: (() => void) | undefined
}

/** Yields whenever this process becomes the leader for `name`; ends with the signal. */
export type HoldSource = (name: string, signal: AbortSignal) => AsyncIterable<Lead>

/** For a single process: it always leads. */
export const leadAlways: HoldSource = async function* (_name, signal) {
  yield { signal }
}

/** Adds the fencing token to writes. */
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
