import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import openapiTS, { astToString } from 'openapi-typescript'

/** Inside the repository, so that the client library resolves. */
const folder = 'node_modules/.cache/generated-client'
const compiler = resolve('node_modules/typescript7/bin/tsc')
const options = [
  '--ignoreConfig',
  '--strict',
  '--target',
  'es2024',
  '--module',
  'nodenext',
  '--types',
  'node',
  '--skipLibCheck',
]

export interface GeneratedClient {
  /** OpenAPI documents, by the module name of their types. */
  readonly documents: Readonly<Record<string, string>>
  /** The program that uses the types. */
  readonly scenario: string
  readonly args: readonly string[]
}

/** Generates types from documents, compiles a program against them and runs it; returns the output if a step fails. */
export async function runGeneratedClient({ documents, scenario, args }: GeneratedClient): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true })
  const directory = mkdtempSync(join(folder, 'client-'))
  try {
    for (const [name, document] of Object.entries(documents)) {
      writeFileSync(join(directory, `${name}.ts`), astToString(await openapiTS(document)))
    }
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
    copyFileSync(scenario, join(directory, 'scenario.ts'))
    return (
      (await run(directory, [compiler, ...options, 'scenario.ts'])) ?? (await run(directory, ['scenario.js', ...args]))
    )
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The output of a command if it fails. */
async function run(cwd: string, args: readonly string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return child.exitCode === 0 ? undefined : `${stdout}${stderr}`
}
