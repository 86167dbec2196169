import type { Terminal } from './terminal.ts'

const quietMs = 2_000
const redrawMs = 200
/** Where nobody looks a line is enough now and then, for logs. */
const logMs = 10_000

/** Says how far something is, once it has taken two seconds. Dispose of it when it is done. */
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
