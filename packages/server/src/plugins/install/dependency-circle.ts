/** The dependency cycle through a plugin; undefined when there is none. */
export async function circleThrough(
  name: string,
  needs: Readonly<Record<string, string>> = {},
  needsOf: (other: string) => Promise<Readonly<Record<string, string>> | undefined>,
): Promise<readonly string[] | undefined> {
  const seen = new Set<string>()
  const waysOn = Object.keys(needs).map((other) => [name, other])
  for (let way = waysOn.shift(); way; way = waysOn.shift()) {
    const last = way.at(-1) ?? ''
    if (last === name) return way
    if (seen.has(last)) continue
    seen.add(last)
    for (const other of Object.keys((await needsOf(last)) ?? {})) waysOn.push([...way, other])
  }
  return undefined
}
