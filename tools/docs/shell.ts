import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** Timeout for commands. */
const limitMs = 900_000

/** A shell with the combined output of commands and background jobs. */
export interface Shell extends AsyncDisposable {
  /** All output so far. */
  readonly shown: () => string
  /** Types commands and waits until they end. Returns false if the shell has exited. */
  readonly type: (commands: string) => Promise<boolean>
  /** Types a command that runs until Ctrl-C, which is sent before anything else is typed. */
  readonly typeForeground: (command: string) => Promise<boolean>
}

export function openShell(cwd: string, env: NodeJS.ProcessEnv): Shell {
  // A separate process group, so that background processes can be killed.
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
  // Input after the exit is lost; `type` returns false then.
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
      // With job control the job is a process group, so SIGINT reaches all of it.
      const isAlive = await type(`set -m\n${command} &\nforeground=$!\nset +m`)
      pressed = 'kill -INT -- "-$foreground"\nwait "$foreground" || true\n'
      return isAlive
    },
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer)
      // Waits for servers to stop, because the next document needs their port.
      while (signalGroup(shell.pid, 'SIGTERM')) await sleep(100)
    },
  }
}

/** Returns false if no process of the group is left. */
function signalGroup(leader: number | undefined, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-Number(leader), signal)
  } catch {
    return false
  }
}
