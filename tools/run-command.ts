import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface CommandResult {
  readonly passed: boolean
  /** Combined output. */
  readonly output: string
  readonly seconds: number
}

export interface CommandOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** Also prints the output. */
  readonly show?: boolean
}

/** Runs a shell command line until it exits. */
export async function runCommand(
  line: string,
  { cwd, env, show = false }: CommandOptions = {},
): Promise<CommandResult> {
  const started = performance.now()
  const child = spawn('bash', ['-c', line], { cwd, env: env ?? process.env, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (show) process.stdout.write(chunk)
    })
  }
  await once(child, 'close')
  return {
    passed: child.exitCode === 0,
    output: Buffer.concat(chunks).toString(),
    seconds: (performance.now() - started) / 1000,
  }
}
