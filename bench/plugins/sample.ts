import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packedSource } from '../../tests/end-to-end/packed-source.ts'
import type { LoneHost } from '../../tests/faults/plugins/lone-host.ts'

const source = readFileSync(join(import.meta.dirname, 'processes/sample-plugin.ts'), 'utf8')

/** A realistic plugin with the SDK, under another name. */
export async function samplePackage(name: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-sample-'))
  try {
    const file = join(folder, 'plugin.ts')
    writeFileSync(file, source.replaceAll('sample', name))
    return await packedSource(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** An empty plugin with the SDK. */
export async function emptyPackage(name: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-empty-'))
  try {
    const file = join(folder, 'plugin.ts')
    writeFileSync(
      file,
      `import { definePlugin } from '@pergola/plugin-sdk'\nexport default definePlugin({ name: '${name}' })\n`,
    )
    return await packedSource(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Waits until it is started; returns the time since the request. */
export async function installStarted(host: LoneHost, name: string, body: Buffer): Promise<number> {
  const began = performance.now()
  const answer = await host.install(body)
  if (answer.status !== 201) throw new Error(`${name} is refused: ${answer.status} ${await answer.text()}`)
  await host.untilPlugin(name, ({ status }) => status?.phase === 'Started', 60_000)
  return performance.now() - began
}
