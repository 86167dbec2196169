import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CommandContext } from '../../command-context.ts'
import { CommandFault } from '../../terminal/command-fault.ts'

const ignored = () => undefined

/** Opens a file in the editor of the user, and waits until it is closed. */
export async function runEditor(variables: CommandContext['variables'], file: string): Promise<void> {
  const editor = variables['PERGOLA_EDITOR'] || variables['VISUAL'] || variables['EDITOR'] || 'vi'
  // Ctrl-C is for the editor; this process must outlive it.
  const listeners = process.listeners('SIGINT')
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', ignored)
  try {
    // By a shell, because the variable may contain options: `code --wait`.
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    const [code] = (await once(child, 'close')) as [number | null]
    if (code === 0) return
    const why = code === 127 ? 'was not found' : `ended with ${code ?? 'a signal'}`
    throw new CommandFault(`the editor "${editor}" ${why}`, { lines: ['  set EDITOR to another one'] })
  } finally {
    process.off('SIGINT', ignored)
    for (const listener of listeners) process.on('SIGINT', listener)
  }
}
