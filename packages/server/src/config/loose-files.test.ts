import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { looseFiles } from './loose-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'pergola-loose-'))
afterAll(() => rmSync(directory, { recursive: true }))
const file = (name: string, mode: number) => {
  const path = join(directory, name)
  writeFileSync(path, '')
  chmodSync(path, mode)
  return path
}

test('key files, the SQLite file and a configuration with a password are reported when everybody can read them', () => {
  const [database, key, kept] = [file('pergola.db', 0o644), file('key', 0o604), file('kept', 0o640)]
  const keys = `secrets: { keys: [{ file: ${key} }, { file: ${kept} }, { env: KEY }] }`
  const yaml = file('pergola.yaml', 0o644)
  const loose = (url: string) =>
    looseFiles(loadConfig({ file: { name: yaml, text: keys }, env: { PERGOLA_DATABASE_URL: url } }), yaml)
  const words = (path: string) => `every account of this machine can read ${path}; run chmod 600 ${path}`
  expect(loose(`sqlite:${database}`)).toEqual([words(key), words(database)])
  expect(loose('postgres://ann:secret@db/app')).toEqual([words(key), words(yaml)])
  expect(loose('postgres://ann@db/app')).toEqual([words(key)])
  expect(loose('sqlite::memory:')).toEqual([words(key)])
})
