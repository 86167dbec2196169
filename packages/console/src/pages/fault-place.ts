/** Where a page has thrown, in the files of its author: `src/ui/open.vue:5:9`. Known in development, whose modules have source maps. */
export async function placeOf(error: unknown, modules: string): Promise<string | undefined> {
  const { stack = '' } = error instanceof Error ? error : {}
  for (const [, url = '', line, column] of stack.matchAll(/(https?:\/\/[^\s()]+?):(\d+):(\d+)/g)) {
    if (!new URL(url).pathname.startsWith(modules)) continue
    const map = await mapOf(url)
    if (!map) return undefined
    const found = originOf(map, { line: Number(line), column: Number(column) })
    if (found && !found.file.includes('node_modules/')) return `${found.file}:${found.line}:${found.column}`
  }
  return undefined
}

interface SourceMap {
  readonly sources: readonly string[]
  readonly mappings: string
}

/** The map at the end of a module. */
async function mapOf(url: string): Promise<SourceMap | undefined> {
  const text = await fetch(url, { cache: 'force-cache' }).then((answer) => answer.text())
  const [, encoded] = /\n\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(text) ?? []
  if (encoded === undefined) return undefined
  const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes)) as SourceMap
}

interface Position {
  readonly line: number
  readonly column: number
}

/** The last mapping that begins at or before a position of the module. Lines and columns count from 1. */
export function originOf(
  { sources, mappings }: SourceMap,
  { line, column }: Position,
): (Position & { readonly file: string }) | undefined {
  let [source, sourceLine, sourceColumn] = [0, 0, 0]
  let found: ReturnType<typeof originOf>
  for (const [index, segments] of mappings.split(';').slice(0, line).entries()) {
    let begin = 0
    for (const segment of segments.split(',').filter((text) => text !== '')) {
      const [after = 0, ...origin] = numbersIn(segment)
      begin += after
      source += origin[0] ?? 0
      sourceLine += origin[1] ?? 0
      sourceColumn += origin[2] ?? 0
      if (index === line - 1 && begin >= column) continue
      const file = origin.length > 0 ? sources[source] : undefined
      found = file === undefined ? undefined : { file, line: sourceLine + 1, column: sourceColumn + 1 }
    }
  }
  return found
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Each digit has five bits of a number and one that says whether more follow; the lowest bit of a number is its sign. */
function numbersIn(segment: string): readonly number[] {
  const numbers: number[] = []
  let [value, factor] = [0, 1]
  for (const digit of segment) {
    const bits = digits.indexOf(digit)
    value += (bits % 32) * factor
    factor *= 32
    if (bits >= 32) continue
    numbers.push(value % 2 === 0 ? value / 2 : -(value - 1) / 2)
    ;[value, factor] = [0, 1]
  }
  return numbers
}
