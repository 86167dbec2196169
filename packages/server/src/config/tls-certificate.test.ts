import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '@pergola/test-servers'
import { afterAll, expect, test } from 'vitest'
import { readFile } from './read-configuration.ts'
import { certificateOf } from './tls-certificate.ts'

const folder = mkdtempSync(join(tmpdir(), 'pergola-tls-'))
afterAll(() => rmSync(folder, { recursive: true }))
const files = makeCertificate(folder)
const written = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

test('there is none by default', () => expect(certificateOf({}, readFile)).toBeUndefined())

test('a certificate with its key, its end and its names', () => {
  const found = certificateOf(files, readFile)
  expect(found?.validTo).toBeGreaterThan(Date.now() + 300 * 86_400_000)
  expect(['localhost', '127.0.0.1', 'pergola.example.com', '10.0.0.1'].map((name) => found?.isFor(name))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test.each([
  ['one without the other', () => ({ certFile: files.certFile }), /^tls\.certFile goes with tls\.keyFile/],
  ['a file that is not there', () => ({ ...files, keyFile: 'none' }), /^tls\.keyFile: none cannot be read: ENOENT/],
  [
    'a text',
    () => ({ ...files, certFile: written('text', 'hello') }),
    /^tls\.certFile: .* is not a certificate in PEM/,
  ],
  ['a key with a passphrase', () => ({ ...files, keyFile: written('sealed', sealed) }), /^tls\.keyFile: .* passphrase/],
  ['the key of another certificate', () => ({ ...files, keyFile: another() }), /does not belong to the key/],
])('refused: %s', (_what, tls, message) => {
  expect(() => certificateOf(tls(), readFile)).toThrow(message)
  expect(() => certificateOf(tls(), readFile)).not.toThrow('BEGIN')
})

const sealed =
  '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIBvTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQI\n-----END ENCRYPTED PRIVATE KEY-----\n'

function another(): string {
  const other = mkdtempSync(join(folder, 'other-'))
  return makeCertificate(other).keyFile
}
