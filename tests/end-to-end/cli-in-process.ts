import { PassThrough } from 'node:stream'
import { createProgram, runProgram } from '../../packages/cli/src/program.ts'
import { createTerminal } from '../../packages/cli/src/terminal/terminal.ts'

export interface RunHere {
  readonly args: readonly string[]
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
}

/**
 * The command as `main.ts` runs it, in the process of the test: quicker than a process each, and its coverage is seen. What a
 * process of its own adds, signals, pipes and terminals, is for the tests that start one.
 */
export async function runHere({ args, folder, variables }: RunHere): Promise<{
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}> {
  const stdout = new PassThrough({ highWaterMark: 64 * 1024 * 1024 })
  const stderr = new PassThrough({ highWaterMark: 64 * 1024 * 1024 })
  const terminal = createTerminal({
    stdin: process.stdin,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    variables,
  })
  const before = process.cwd()
  process.chdir(folder)
  try {
    await runProgram(createProgram({ terminal, variables, version: '1.0.0' }), ['node', 'pergola', ...args])
    return { code: Number(process.exitCode ?? 0), stdout: textIn(stdout), stderr: textIn(stderr) }
  } finally {
    process.exitCode = undefined
    process.chdir(before)
  }
}

function textIn(stream: PassThrough): string {
  return String(stream.read() ?? '')
}
