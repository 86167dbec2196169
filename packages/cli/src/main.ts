import { readFileSync } from 'node:fs'
import { createProgram, runProgram } from './program.ts'
import { createTerminal } from './terminal/terminal.ts'

const { stdout, stderr, env: variables } = process
const terminal = createTerminal({
  stdout,
  stderr,
  variables,
  get stdin() {
    return process.stdin
  },
})

await runProgram(createProgram({ terminal, variables, version: versionOf(import.meta.dirname) }), process.argv)

function versionOf(directory: string): string {
  return (JSON.parse(readFileSync(`${directory}/../package.json`, 'utf8')) as { version: string }).version
}
