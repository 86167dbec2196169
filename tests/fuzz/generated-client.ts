import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import openapiTS, { astToString } from 'openapi-typescript'
import type { Documents } from './documents.ts'
import type { Findings } from './findings.ts'
import { token } from './server-process.ts'

/** Inside the repository, so that the client's library is found. */
const folder = 'node_modules/.cache/fuzz'
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

/** Types made from a document are enough for a strict client to create, read, change, list and delete by. */
export async function generatedClient({ texts }: Documents, url: string, findings: Findings): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const directory = mkdtempSync(join(folder, 'client-'))
  try {
    const document = texts.get('/openapi/v3/apis/fuzz.example.com/v1alpha1') ?? ''
    // What has a default may be left out.
    writeFileSync(join(directory, 'types.ts'), astToString(await openapiTS(document, { defaultNonNullable: false })))
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
    copyFileSync(join(import.meta.dirname, 'client-scenario.txt'), join(directory, 'scenario.ts'))
    const faults =
      (await run(directory, [compiler, ...options, 'scenario.ts'])) ??
      (await run(directory, ['scenario.js', url, token]))
    if (faults !== undefined) findings.add(faults, { what: 'generated client' })
    else console.log('a client was generated, compiled and run')
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** What it says when it fails. */
async function run(cwd: string, args: readonly string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return child.exitCode === 0 ? undefined : `${stdout}${stderr}`
}
