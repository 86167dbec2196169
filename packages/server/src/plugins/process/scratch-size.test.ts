import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { measure } from './scratch-size.ts'

const mebibyte = 1024 * 1024
const top = mkdtempSync(join(tmpdir(), 'pergola-scratch-'))
afterAll(() => rmSync(top, { recursive: true }))

test('the size of a folder is what its files take on the disk; links are not followed', async () => {
  const folder = join(top, 'in')
  mkdirSync(join(folder, 'deep'), { recursive: true })
  writeFileSync(join(top, 'outside'), Buffer.alloc(5 * mebibyte, 1))
  writeFileSync(join(folder, 'deep', 'file'), Buffer.alloc(2 * mebibyte, 1))
  writeFileSync(join(folder, 'sparse'), '')
  truncateSync(join(folder, 'sparse'), 100 * mebibyte)
  symlinkSync(top, join(folder, 'link'))
  const { bytes, files } = await measure(folder, 10 * mebibyte)
  expect(files).toBe(4)
  expect(bytes).toBeGreaterThanOrEqual(2 * mebibyte)
  expect(bytes).toBeLessThan(3 * mebibyte)
})

test('a measurement ends as soon as it is over the limit', async () => {
  const folder = join(top, 'many')
  mkdirSync(folder)
  for (let at = 0; at < 50; at++) writeFileSync(join(folder, String(at)), Buffer.alloc(4_096, 1))
  expect((await measure(folder, 40_000)).files).toBeLessThan(50)
  expect(await measure(join(top, 'missing'), 1)).toEqual({ bytes: 0, files: 0 })
})
