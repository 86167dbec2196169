/** Lines wait this long for others; they are lost when the process is killed. */
const holdMs = 10
const mostCharacters = 16_384

export interface LineBuffer {
  readonly write: (line: string) => void
  /** Writes the buffered lines; call it before the process ends. */
  readonly flush: () => void
}

/** Writes lines in batches: each write to a pipe is a system call that wakes the reader, and there is a line per request. */
export function createLineBuffer(write: (text: string) => void): LineBuffer {
  let held = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (held === '') return
    const text = held
    held = ''
    write(text)
  }
  return {
    flush,
    write: (line) => {
      held += line
      if (held.length >= mostCharacters) flush()
      else timer ??= setTimeout(flush, holdMs).unref()
    },
  }
}
