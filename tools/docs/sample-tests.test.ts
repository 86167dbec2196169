import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe } from 'vitest'
import { documents } from './documents.ts'
import { samplesOf } from './samples.ts'

/** Runs the tests that documents show. */
const folder = mkdtempSync(join(tmpdir(), 'pergola-samples-'))
afterAll(() => rmSync(folder, { recursive: true }))
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))

for (const document of documents()) {
  const samples = samplesOf(readFileSync(document, 'utf8')).map(({ name, text }) => {
    return { file: join(folder, document, name), text, isTest: text.includes("from 'vitest'") }
  })
  if (!samples.some(({ isTest }) => isTest)) continue
  for (const { file, text } of samples) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  describe(document, async () => {
    for (const { file } of samples.filter(({ isTest }) => isTest)) await import(file)
  })
}
