/** Concurrent requests; browsers open six HTTP/1.1 connections per host. */
const atOnce = 4

export interface Failure<Item> {
  readonly item: Item
  readonly error: unknown
}

/** Runs an action on each item, a few at a time. Returns the failures; they do not stop the others. */
export async function forEachOf<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
  on: { readonly progress?: (done: number) => void; readonly signal?: AbortSignal } = {},
): Promise<readonly Failure<Item>[]> {
  const failures: Failure<Item>[] = []
  const queue = [...items]
  let done = 0
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      if (on.signal?.aborted) return
      try {
        await act(item)
      } catch (error) {
        failures.push({ item, error })
      }
      on.progress?.(++done)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return failures
}
