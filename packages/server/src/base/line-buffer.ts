/** Lines wait this long for others; whoever kills the process takes those with it. */
const holdMs = 10
const mostCharacters = 16_384

export interface LineBuffer {
  readonly write: (line: string) => void
  /** Writes what is held; to be called before the process ends. */
  readonly flush: () => void
}

/**
 * Writes lines together: to a pipe each write is a system call that wakes the reader, and there is a line a request.
 */
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
