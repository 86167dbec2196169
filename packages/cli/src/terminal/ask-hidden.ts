import { emitKeypressEvents, type Key } from 'node:readline'

/** Asks at the terminal without echo. Ctrl-C ends the process. */
export function askHidden(prompt: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(prompt)
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.resume()
  return new Promise((resolve) => {
    let typed: readonly string[] = []
    const end = () => {
      stdin.off('keypress', onKey)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
    }
    const onKey = (text: string | undefined, { name, ctrl }: Key) => {
      if (ctrl && name === 'c') {
        end()
        process.exit(130)
      } else if (name === 'return' || name === 'enter') {
        end()
        resolve(typed.join(''))
      } else if (name === 'backspace') typed = typed.slice(0, -1)
      else if (text !== undefined && !ctrl && text >= ' ') typed = [...typed, text]
    }
    stdin.on('keypress', onKey)
  })
}
