interface Page<Item> {
  readonly items: readonly Item[]
  readonly hasNext: boolean
}

/** The first items of a list, page by page. */
export async function readUpTo<Item>(
  most: number,
  read: (page: number) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const found: Item[] = []
  for (let page = 1; found.length < most; page++) {
    const { items, hasNext } = await read(page)
    found.push(...items)
    if (!hasNext) break
  }
  return found.slice(0, most)
}
