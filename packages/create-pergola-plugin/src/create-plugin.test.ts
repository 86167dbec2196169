import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { packPlugin } from '../../cli/src/plugin/pack.ts'
import { installSdk } from '../../cli/src/plugin/plugin-project.rows.ts'
import { compileSdk, instantiationsIn } from '../../plugin-sdk/src/compiled-sdk.rows.ts'
import { createPlugin } from './create-plugin.ts'

const root = resolve(import.meta.dirname, '../../..')
const out = mkdtempSync(join(tmpdir(), 'pergola-created-'))
afterAll(() => rmSync(out, { recursive: true }))
let folders = 0
const newFolder = () => join(out, String(++folders))

/** Type instantiations that an editor handles without noticeable delay. */
const mostInstantiations = 50_000

describe('a new plugin', () => {
  test.for(['typescript', 'typescript7'])(
    'type-checks with few instantiations in %s',
    { timeout: 120_000 },
    async (compiler) => {
      const folder = newFolder()
      createPlugin(folder, { name: 'meeting-room', group: 'rooms.example.com', version: '0.9.0' })
      const config = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8')) as { compilerOptions: object }
      const compilerOptions = { ...config.compilerOptions, paths: await compileSdk(folder) }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, compilerOptions }))
      const count = await instantiationsIn(folder, compiler)
      expect(count).toBeGreaterThan(1_000)
      expect(count).toBeLessThan(mostInstantiations)
    },
  )

  test('passes its own test', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    createPlugin(folder, { name: 'meeting-room', group: 'rooms.example.com', version: '0.9.0' })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    // Resolves the packages from their sources, because this test does not build them.
    const config =
      "export default { ssr: { resolve: { conditions: ['@pergola/source'] } }, test: { testTimeout: 90_000 } }"
    writeFileSync(join(folder, 'vitest.config.js'), config)
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'run', '--root', folder], { cwd: folder })
    expect(stripVTControlCharacters(stdout)).toMatch(/Tests {2}1 passed/)
  })

  test.for(['todo', 'meeting-rooms', 'box', 'categories', 'a1b'])(
    'called %s can be packed',
    { timeout: 60_000 },
    async (name) => {
      const folder = newFolder()
      createPlugin(folder, { name, group: `${name}.example.com`, version: '1.2.0' })
      installSdk(folder)
      const { manifest, summary } = await packPlugin({ folder, out: folder, conditions: ['@pergola/source'] })
      expect(manifest).toMatchObject({
        name,
        version: '0.1.0',
        requires: '>=1.2.0 <2',
        groups: [`${name}.example.com`],
      })
      expect(summary.find(({ code }) => code === 'unreached')?.items).toEqual([])
      expect(summary.find(({ code }) => code === 'public')?.items).toEqual([])
    },
  )
})

describe('rejected is', () => {
  const sound = { name: 'todo', group: 'todo.example.com', version: '1.0.0' }
  const rows: readonly (readonly [what: string, plugin: typeof sound, message: string])[] = [
    ['a name with capitals', { ...sound, name: 'Todo' }, '"Todo" cannot be the name of a plugin: it must have 3 to 40'],
    ['a path', { ...sound, name: '../todo' }, '"../todo" cannot be the name of a plugin'],
    ['a group without a dot', { ...sound, group: 'todo' }, '"todo" cannot be an API group: it must be a domain name'],
    ["a group of the host's", { ...sound, group: 'todo.platform.run' }, 'is reserved for the host'],
    ['a group of an audience', { ...sound, group: 'uc.api.example.com' }, 'name the one behind "api." itself'],
  ]
  test.each(rows)('%s', (_, plugin, message) => {
    expect(() => createPlugin(newFolder(), plugin)).toThrow(message)
  })

  test('a folder that is not empty, which stays unchanged', () => {
    const folder = newFolder()
    mkdirSync(folder)
    expect(createPlugin(folder, sound)).toBe(11)
    writeFileSync(join(folder, 'package.json'), 'mine')
    expect(() => createPlugin(folder, sound)).toThrow('already exists and is not empty')
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe('mine')
  })
})
