/** A block of a document that is run. */
export interface RunnableBlock {
  /**
   * `commands` are fenced as `sh run`. A `foreground` command, fenced as `sh run foreground`, runs until Ctrl-C, which is
   * sent before the next commands. An `edit`, fenced as `diff edit <file>`, changes a file.
   */
  readonly kind: 'commands' | 'foreground' | 'edit'
  readonly code: string
  /** File of an edit, relative to the repository. */
  readonly file: string
  /** From the following blocks fenced as `text expect`: lines that the terminal shows in this order; `…` matches anything. */
  readonly expect: readonly string[]
}

export function parseBlocks(markdown: string): readonly RunnableBlock[] {
  const blocks: (RunnableBlock & { readonly expect: string[] })[] = []
  for (const [, info = '', text = ''] of markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)) {
    const code = text.trimEnd()
    const [, file] = /^diff edit (\S+)$/.exec(info) ?? []
    if (info === 'sh run') blocks.push({ kind: 'commands', code, file: '', expect: [] })
    else if (info === 'sh run foreground') blocks.push({ kind: 'foreground', code, file: '', expect: [] })
    else if (file !== undefined) blocks.push({ kind: 'edit', code, file, expect: [] })
    else if (info === 'text expect') blocks.at(-1)?.expect.push(...code.split('\n'))
  }
  return blocks
}

/** Programs that a document needs, which is then run only by its name: `needs: <program> …` in the front matter. */
export function neededPrograms(markdown: string): readonly string[] {
  const [, programs = ''] = /^---\n(?:(?!---\n).*\n)*?needs: (.*)\n/.exec(markdown) ?? []
  return programs.split(' ').filter((program) => program !== '')
}

/** The preceding document, whose terminal this one continues: `continues: <file>` in the front matter. */
export function continuedDocument(markdown: string): string | undefined {
  return /^---\n(?:(?!---\n).*\n)*?continues: (.*)\n/.exec(markdown)?.[1]
}

/** Description of the missing lines. */
export function unmetExpectation({ code, expect }: RunnableBlock, printed: string): string | undefined {
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

/** The text after an edit: replaces lines with `-` by lines with `+`, between unchanged lines. */
export function edited(text: string, { code, file }: RunnableBlock): string {
  const lines = code.split('\n')
  const side = (other: string) => lines.filter((line) => !line.startsWith(other)).map((line) => line.slice(1))
  const [before, after] = [side('+').join('\n'), side('-').join('\n')]
  if (text.split(before).length !== 2) throw new Error(`${file} does not contain exactly once:\n${before}`)
  return text.replace(before, () => after)
}

/** Number of commands and of typed lines in the blocks. */
export function typed(blocks: readonly RunnableBlock[]): { readonly commands: number; readonly lines: number } {
  const edits = blocks.filter(({ kind }) => kind === 'edit').flatMap(({ code }) => code.match(/^\+/gm) ?? [])
  const shell = blocks.filter(({ kind }) => kind !== 'edit').map(({ code }) => code)
  const heredocs = /<<'?(\w+)'?[\s\S]*?\n\1$/gm
  const commands = shell.flatMap((code) =>
    code
      .replaceAll(heredocs, '')
      .replaceAll('\\\n', '')
      .split(/\n|&&|;/),
  )
  return { commands: commands.length, lines: edits.length + shell.join('\n').split('\n').length }
}
