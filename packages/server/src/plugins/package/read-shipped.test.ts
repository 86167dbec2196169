import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { digestOf } from './unpack-archive.ts'
import { readShipped } from './read-shipped.ts'

const directory = mkdtempSync(join(tmpdir(), 'pergola-shipped-'))
const folder = pathToFileURL(`${directory}/`)
afterAll(() => rmSync(directory, { recursive: true }))

test('shipped packages are read, and a changed one is an error', () => {
  expect(readShipped(folder)).toEqual([])
  const bytes = Buffer.from('a package')
  writeFileSync(join(directory, 'one.tgz'), bytes)
  writeFileSync(join(directory, 'other.tgz'), 'nobody has listed it')
  writeFileSync(join(directory, 'digests.json'), JSON.stringify({ 'one.tgz': digestOf(bytes) }))
  expect(readShipped(folder)).toEqual([bytes])
  writeFileSync(join(directory, 'one.tgz'), 'another package')
  expect(() => readShipped(folder)).toThrow('one.tgz, which comes with the host, differs from its build')
})
