/** A block that a document asks people to run, fenced as `sh run`. */
export interface RunnableBlock {
  readonly code: string
  /** From a following block fenced as `text expect`: lines that must be printed, in this order; `…` stands for anything. */
  readonly expect: readonly string[]
}

export function parseBlocks(markdown: string): readonly RunnableBlock[] {
  const blocks: { code: string; expect: string[] }[] = []
  for (const [, info = '', code = ''] of markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)) {
    const last = blocks.at(-1)
    if (info === 'sh run') blocks.push({ code: code.trimEnd(), expect: [] })
    else if (info === 'text expect' && last) last.expect.push(...code.trimEnd().split('\n'))
  }
  return blocks
}

/** What the output lacks, in words; `printed` is undefined when the block never ran. */
export function unmetExpectation({ code, expect }: RunnableBlock, printed: string | undefined): string | undefined {
  if (printed === undefined) return `never ran: ${code}`
  let rest = printed.split('\n')
  for (const wanted of expect) {
    const at = rest.findIndex((line) => lineMatches(wanted, line))
    if (at < 0) return `after "${code}" the line "${wanted}" is missing in:\n${printed}`
    rest = rest.slice(at + 1)
  }
  return undefined
}

function lineMatches(wanted: string, line: string): boolean {
  const pattern = wanted
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*')
  return new RegExp(`^${pattern}$`).test(line.trimEnd())
}
