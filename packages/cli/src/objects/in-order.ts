/** Runs `work` with bounded concurrency and yields results in input order. */
export async function* inOrder<Given, Got>(
  given: readonly Given[],
  atATime: number,
  work: (one: Given) => Promise<Got>,
): AsyncGenerator<Got, void, undefined> {
  const running: Promise<Got>[] = []
  let next = 0
  const begin = () => {
    const one = given[next++]
    if (one === undefined) return
    const begun = work(one)
    // The error is thrown where the promise is awaited.
    begun.catch(() => undefined)
    running.push(begun)
  }
  while (next < Math.min(atATime, given.length)) begin()
  while (running.length > 0) {
    const first = running.shift()
    if (first === undefined) return
    // Waits for the oldest one; later ones may already be done.
    const done = await first
    begin()
    yield done
  }
}
