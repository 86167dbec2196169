import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { looseFiles, tightening } from './loose-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'pergola-loose-'))
afterAll(() => rmSync(directory, { recursive: true }))
const file = (name: string, mode: number) => {
  const path = join(directory, name)
  writeFileSync(path, '')
  chmodSync(path, mode)
  return path
}

const looseIn = (yaml: string, env: Record<string, string> = {}) => {
  const path = join(directory, 'pergola.yaml')
  return looseFiles(loadConfig({ file: { name: path, text: yaml }, env }), path)
}

test('key files, the SQLite file and a configuration with a password are reported when everybody can read them', () => {
  const [database, key, kept] = [file('pergola.db', 0o644), file('key', 0o604), file('kept', 0o640)]
  const yaml = file('pergola.yaml', 0o644)
  const keys = `secrets: { keys: [{ file: ${key} }, { file: ${kept} }, { env: KEY }] }`
  const loose = (url: string) => looseIn(keys, { PERGOLA_DATABASE_URL: url })
  const read = (path: string) => ({ file: path, can: 'read' })
  expect(loose(`sqlite:${database}`)).toEqual([read(key), read(database)])
  expect(loose('postgres://ann:secret@db/app')).toEqual([read(key), read(yaml)])
  expect(loose('postgres://ann@db/app')).toEqual([read(key)])
  expect(loose('sqlite::memory:')).toEqual([read(key)])
})

test('every other file with a secret is reported, and a folder of packages that everybody can change', () => {
  file('pergola.yaml', 0o600)
  const names = ['password', 'client', 'nats', 'smtp']
  const [password, client, nats, smtp] = names.map((name) => file(name, 0o604))
  const packages = join(directory, 'packages')
  mkdirSync(packages)
  chmodSync(packages, 0o777)
  const yaml = `
admin: { username: ann, passwordFile: ${password} }
oidc: { providers: [{ name: a, issuer: https://a.example, clientId: p, clientSecretFile: ${client} }] }
feed: { natsTokenFile: ${nats} }
plugins: { directory: ${packages}, settings: { mail: { password: { file: ${smtp} }, host: mail.example } } }
database: { url: 'sqlite::memory:' }
`
  expect(looseIn(yaml)).toEqual([
    ...[smtp, password, client, nats].map((path) => ({ file: path, can: 'read' })),
    { file: packages, can: 'change' },
  ])
})

test('the command in the advice works as printed, and leaves the rights of the group', () => {
  const odd = file("it's a key", 0o644)
  const loose = () => looseIn(`secrets: { keys: [{ file: "${odd}" }] }`)
  const [found] = loose()
  if (!found) throw new Error('the file was not reported')
  execFileSync('/bin/sh', ['-c', tightening(found)])
  expect(loose()).toEqual([])
  expect(statSync(odd).mode & 0o777).toBe(0o640)
})
