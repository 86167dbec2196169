interface Waiting {
  readonly name: string
  readonly found: (title: string) => void
  readonly failed: (error: unknown) => void
}

/** Titles by name. Names that are asked for together share requests of at most `most`; a name without a title is its own. */
export function createNames(
  most: number,
  read: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): (name: string) => Promise<string> {
  let waiting: Waiting[] = []
  const readSome = async (some: readonly Waiting[]) => {
    try {
      const titles = await read(some.map(({ name }) => name))
      for (const { name, found } of some) found(titles.get(name) ?? name)
    } catch (error) {
      for (const { failed } of some) failed(error)
    }
  }
  const readAll = () => {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; from += most) void readSome(all.slice(from, from + most))
  }
  return async (name) =>
    new Promise((found, failed) => {
      // After the rows that ask are drawn.
      if (waiting.length === 0) setTimeout(readAll)
      waiting.push({ name, found, failed })
    })
}
