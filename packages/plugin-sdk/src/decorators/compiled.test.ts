import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileSdk, instantiationsIn } from '../compiled-sdk.rows.ts'

const root = resolve(import.meta.dirname, '../../../..')
const folder = mkdtempSync(join(tmpdir(), 'pergola-decorated-'))
/** A plugin of decorated classes, and mistakes that must not compile. */
const files = ['conformance/plugins/reports.ts', 'types/decorated-mistakes.ts'].map((file) => join(root, 'tests', file))

beforeAll(async () => {
  const paths = await compileSdk(folder)
  for (const experimentalDecorators of [false, true]) {
    const compilerOptions = {
      composite: false,
      declarationMap: false,
      noEmit: true,
      rewriteRelativeImportExtensions: false,
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
      paths,
      experimentalDecorators,
    }
    const project = join(folder, String(experimentalDecorators))
    mkdirSync(project)
    const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, files }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

const rows = ['typescript', 'typescript7'].flatMap((compiler) => [false, true].map((is) => [compiler, is] as const))

test.for(rows)(
  'decorated classes compile in %s, and mistakes do not, with experimentalDecorators %s',
  async ([compiler, experimentalDecorators]) => {
    expect(await instantiationsIn(join(folder, String(experimentalDecorators)), compiler)).toBeGreaterThan(0)
  },
)
