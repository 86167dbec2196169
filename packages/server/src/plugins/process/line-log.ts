/** The last lines that a process wrote, each truncated at a limit. */
export interface LineLog {
  /** Adds output, whole lines or parts of them. */
  write(chunk: string): void
  /** Ends the last line, even if it has no line break. */
  end(): void
  /** Oldest first. */
  lines(): readonly string[]
}

const mostLines = 500
export const mostCharacters = 4_096

export function createLineLog(onLine: (line: string) => void): LineLog {
  let kept: string[] = []
  let open = ''
  const take = (line: string) => {
    const shown = line.length > mostCharacters ? `${line.slice(0, mostCharacters)}… (cut)` : line
    kept.push(shown)
    if (kept.length > mostLines * 1.25) kept = kept.slice(-mostLines)
    onLine(shown)
  }
  return {
    write: (chunk) => {
      const [first = '', ...others] = chunk.split('\n')
      // Keeps no more of an unterminated line than is shown.
      if (open.length <= mostCharacters) open += first
      for (const next of others) {
        take(open)
        open = next
      }
    },
    end: () => {
      if (open !== '') take(open)
      open = ''
    },
    lines: () => kept.slice(-mostLines),
  }
}
