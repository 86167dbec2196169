import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { plugin, processId } from './isolated-plugin.rows.ts'
import { isolatedFile } from './run-isolated.ts'
import { testHost } from './test-host.ts'

vi.setConfig({ testTimeout: 60_000 })

const folder = mkdtempSync(join(tmpdir(), 'pergola-isolated-'))
afterAll(() => rmSync(folder, { recursive: true }))
const isolate = join(folder, 'plugin.mjs')
const value = join(import.meta.dirname, 'isolated-plugin.rows.ts')
writeFileSync(isolate, `export { plugin as default } from ${JSON.stringify(value)}`)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('an isolated plugin', () => {
  test('runs in its own process, which ends with the host', async () => {
    const host = await testHost(plugin, { isolate })
    const pid = await host.anonymous.call(processId)
    expect(pid).not.toBe(process.pid)
    expect(isRunning(pid)).toBe(true)
    await host[Symbol.asyncDispose]()
    expect(isRunning(pid)).toBe(false)
    await using here = await testHost(plugin)
    expect(await here.anonymous.call(processId)).toBe(process.pid)
  })

  test('that cannot be loaded fails with its output', async () => {
    const file = join(folder, 'broken.mjs')
    writeFileSync(file, "throw new Error('not like this')")
    await expect(testHost(plugin, { isolate: file })).rejects.toThrow(/not like this/)
  })

  test('uses the real clock and the real network', async () => {
    await expect(testHost(plugin, { isolate, now: '2030-01-01T00:00:00Z' })).rejects.toThrow(
      '"now" is not available with isolate',
    )
    await expect(testHost(plugin, { isolate, outside: () => new Response() })).rejects.toThrow(
      '"outside" is not available',
    )
    await using host = await testHost(plugin, { isolate })
    await expect(host.advance('1h')).rejects.toThrow('"advance" is not available')
    expect(() => host.sent('https://a.test')).toThrow('"sent" is not available')
  })

  test('starts from the same entry file as a build', () => {
    const write = (json: object) => writeFileSync(join(folder, 'package.json'), JSON.stringify(json))
    write({ name: 'one' })
    expect(isolatedFile(true, folder)).toBe(join(folder, 'src/plugin.ts'))
    write({ pergola: { entry: 'main.ts' } })
    expect(isolatedFile(true, folder)).toBe(join(folder, 'main.ts'))
    expect(isolatedFile('some/plugin.ts', folder)).toBe(join(folder, 'some/plugin.ts'))
  })
})
