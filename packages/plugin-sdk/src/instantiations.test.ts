import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileSdk, instantiationsIn } from './compiled-sdk.rows.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'pergola-types-'))
/** A plugin of one model and three routes, with its test. */
const most = 50_000

beforeAll(async () => {
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      composite: false,
      declarationMap: false,
      noEmit: true,
      rewriteRelativeImportExtensions: false,
      allowImportingTsExtensions: true,
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
      paths: await compileSdk(folder),
    },
    files: ['plugin', 'plugin.test'].map((file) => join(root, `examples/todo/src/${file}.ts`)),
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

/** An editor repeats this work after every keystroke. */
test.for(['typescript', 'typescript7'])(
  'type checking needs few instantiations in %s',
  { timeout: 120_000 },
  async (compiler) => {
    const count = await instantiationsIn(folder, compiler)
    expect(count).toBeGreaterThan(1_000)
    expect(count).toBeLessThan(most)
  },
)
