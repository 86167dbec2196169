import { stripVTControlCharacters, styleText } from 'node:util'

/** Of a line: when, who says it, what. */
export type Tone = 'plain' | 'good' | 'bad' | 'quiet'

export interface Output {
  /** The first line behind time and name; the others below it. */
  readonly say: (who: string, lines: readonly string[], tone?: Tone) => void
  /** As it is. */
  readonly print: (lines: readonly string[]) => void
}

export interface OutputOptions {
  readonly write: (text: string) => void
  readonly colours: boolean
  readonly now: () => Date
}

const styles = { plain: [], good: ['green'], bad: ['red'], quiet: ['dim'] } as const
/** Names of plugins may be longer. */
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

/** `10:01:31`, as the clock on the wall shows it. */
export function clockTime(date: Date): string {
  return date.toTimeString().slice(0, 8)
}

/** What plugins and callers write must not move a cursor. */
function safe(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '?')
}
