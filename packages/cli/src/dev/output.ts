import { stripVTControlCharacters, styleText } from 'node:util'

/** Style of a line. */
export type Tone = 'plain' | 'good' | 'bad' | 'quiet'

export interface Output {
  /** Prints the first line after time and name, the others indented below. */
  readonly say: (who: string, lines: readonly string[], tone?: Tone) => void
  /** Prints lines unchanged. */
  readonly print: (lines: readonly string[]) => void
}

export interface OutputOptions {
  readonly write: (text: string) => void
  readonly colours: boolean
  readonly now: () => Date
}

const styles = { plain: [], good: ['green'], bad: ['red'], quiet: ['dim'] } as const
/** Minimum width of the name column. */
const leastWidth = 4

export function createOutput({ write, colours, now }: OutputOptions): Output {
  const styled = (style: readonly ('green' | 'red' | 'dim')[], text: string) =>
    colours && style.length > 0 ? styleText([...style], text, { validateStream: false }) : text
  return {
    say: (who, lines, tone = 'plain') => {
      const [first = '', ...others] = lines.flatMap((line) => safe(line).split('\n'))
      const name = who.padEnd(leastWidth)
      const indent = ' '.repeat(`00:00:00 ${name}  `.length)
      const told = [`${styled(['dim'], clockTime(now()))} ${name}  ${styled(styles[tone], first)}`]
      write(`${[...told, ...others.map((line) => `${indent}${styled(styles[tone], line)}`)].join('\n')}\n`)
    },
    print: (lines) => write(`${lines.join('\n')}\n`),
  }
}

/** Local time: `10:01:31`. */
export function clockTime(date: Date): string {
  return date.toTimeString().slice(0, 8)
}

/** Strips terminal escape sequences and control characters from text of plugins and callers. */
function safe(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '?')
}
