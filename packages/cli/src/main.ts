import { readFileSync } from 'node:fs'
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

const context = { terminal, variables, version: versionOf(import.meta.dirname) }
if (process.argv[2] === '__complete') {
  const { complete } = await import('./completion/complete.ts')
  await complete(context, process.argv.slice(3))
} else {
  const { createProgram, runProgram } = await import('./program.ts')
  await runProgram(createProgram(context), process.argv)
}

function versionOf(directory: string): string {
  return (JSON.parse(readFileSync(`${directory}/../package.json`, 'utf8')) as { version: string }).version
}
