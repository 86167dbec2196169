/** Does many things at a time, at most so many, and answers in the order in which they were given. */
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
    // Told where it is waited for.
    begun.catch(() => undefined)
    running.push(begun)
  }
  while (next < Math.min(atATime, given.length)) begin()
  while (running.length > 0) {
    const first = running.shift()
    if (first === undefined) return
    // Whoever is behind the first may have ended long ago; it must not keep the others waiting.
    const done = await first
    begin()
    yield done
  }
}
