import type { Terminal } from './terminal.ts'

const quietMs = 2_000
const redrawMs = 200
/** Interval of progress lines when stderr is not a terminal. */
const logMs = 10_000

/** Shows progress after two seconds, until disposed. */
export function showingProgress(terminal: Terminal, words: () => string): Disposable {
  const began = Date.now()
  let lastLogged = began
  const draw = () => {
    const now = Date.now()
    if (now - began < quietMs) return
    if (terminal.showsProgress) return terminal.showProgress(`  ${words()}`)
    if (now - lastLogged < logMs) return
    lastLogged = now
    terminal.tell([`  ${words()}`])
  }
  const timer = setInterval(draw, redrawMs)
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer)
      terminal.tell([])
    },
  }
}
