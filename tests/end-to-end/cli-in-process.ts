import { PassThrough } from 'node:stream'
import { createProgram, runProgram } from '../../packages/cli/src/program.ts'
import { hostVersion } from '../../packages/server/src/base/host-version.ts'
import { createTerminal } from '../../packages/cli/src/terminal/terminal.ts'

export interface RunHere {
  readonly args: readonly string[]
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Runs a command as `main.ts` does, in the process of the test: faster, and included in the coverage. Tests of signals,
 * pipes and terminals start a process instead.
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
    await runProgram(createProgram({ terminal, variables, version: hostVersion }), ['node', 'pergola', ...args])
    return { code: Number(process.exitCode ?? 0), stdout: textIn(stdout), stderr: textIn(stderr) }
  } finally {
    process.exitCode = undefined
    process.chdir(before)
  }
}

function textIn(stream: PassThrough): string {
  return String(stream.read() ?? '')
}
