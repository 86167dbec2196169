import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** Ends what hangs. */
const limitMs = 1_800_000

/** A shell as in a terminal: what commands and background jobs print comes together. */
export interface Shell extends AsyncDisposable {
  /** All that was printed so far. */
  readonly shown: () => string
  /** Types commands, and waits until they are done. Answers false when the shell has ended. */
  readonly type: (commands: string) => Promise<boolean>
  /** Types a command that goes on until Ctrl-C, which is pressed before anything else is typed. */
  readonly typeForeground: (command: string) => Promise<boolean>
}

export function openShell(cwd: string, env: NodeJS.ProcessEnv): Shell {
  // A group of its own, so that what it leaves running can be ended.
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let shown = ''
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk))
  }
  const prompts = shell.stdio[3] as Readable
  const ended = once(shell, 'exit')
  // What is typed after the end is lost, as `type` tells.
  shell.stdin.on('error', () => undefined)
  shell.stdin.write(`trap 'kill $(jobs -p) 2>/dev/null' EXIT\n`)
  const timer = setTimeout(() => signalGroup(shell.pid, 'SIGTERM'), limitMs)
  let pressed = ''
  const type = async (commands: string) => {
    const done = once(prompts, 'data')
    shell.stdin.write(`${pressed}{\n${commands}\n} </dev/null 3>&-\necho >&3\n`)
    pressed = ''
    await Promise.race([done, ended])
    return shell.exitCode === null && shell.signalCode === null
  }
  return {
    shown: () => shown,
    type,
    typeForeground: async (command) => {
      // With job control the job is a group, which SIGINT reaches as a whole.
      const isAlive = await type(`set -m\n${command} &\nforeground=$!\nset +m`)
      pressed = 'kill -INT -- "-$foreground"\nwait "$foreground" || true\n'
      return isAlive
    },
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer)
      // Servers end in their own time; the next document needs their port.
      while (signalGroup(shell.pid, 'SIGTERM')) await sleep(100)
    },
  }
}

/** Answers false when nothing is left of the group. */
function signalGroup(leader: number | undefined, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-Number(leader), signal)
  } catch {
    return false
  }
}
