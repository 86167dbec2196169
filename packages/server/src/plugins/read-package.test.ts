import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { create, Header } from 'tar'
import { afterAll, describe, expect, test } from 'vitest'
import { readPackage } from './read-package.ts'

const directory = mkdtempSync(join(tmpdir(), 'pergola-package-'))
afterAll(() => rmSync(directory, { recursive: true }))
let packages = 0

async function pack(files: Readonly<Record<string, string>>, more: (folder: string) => void = () => {}) {
  const folder = join(directory, String(++packages))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  more(folder)
  const chunks: Buffer[] = []
  for await (const chunk of create({ gzip: true, cwd: folder, portable: true }, ['.'])) chunks.push(chunk)
  return Buffer.concat(chunks)
}

interface Entry {
  readonly path: string
  readonly type?: 'File' | 'Link'
  readonly text: string
  /** As it says, whatever it has. */
  readonly size?: number
}

/** As nobody's tool would write it. */
function archive(...entries: readonly Entry[]) {
  const parts = entries.flatMap(({ path, type = 'File', text, size = Buffer.byteLength(text) }) => {
    const linked = type === 'Link' && { linkpath: '/etc/passwd' }
    const header = new Header({ path, type, size, mode: 0o644, ...linked })
    const block = Buffer.alloc(512)
    header.encode(block)
    return [block, Buffer.from(text), Buffer.alloc((512 - (Buffer.byteLength(text) % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1_024)]))
}

test('a package is its definition, its files, and a digest of its bytes', async () => {
  const bytes = await pack({ 'plugin.json': '{"name":"todo"}', 'plugin.js': 'export {}', 'extensions/a.yaml': 'a: 1' })
  const read = await readPackage(bytes)
  expect(read.manifest).toEqual({ name: 'todo' })
  expect([...read.files.keys()].toSorted()).toEqual(['extensions/a.yaml', 'plugin.js', 'plugin.json'])
  expect(read.files.get('plugin.js')?.toString()).toBe('export {}')
  expect(read.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect((await readPackage(bytes)).digest).toBe(read.digest)
})

describe('refused is', () => {
  const definition = { path: 'plugin.json', text: '{}' }
  const cases: readonly (readonly [what: string, make: () => Promise<Buffer> | Buffer, message: string | RegExp])[] = [
    ['what is no archive', () => Buffer.from('hello'), /^it is no archive of the kind \.tgz/],
    ['an archive that is cut off', async () => (await pack({ 'plugin.json': '{}' })).subarray(0, 60), /no archive/],
    ['one without a definition', () => pack({ 'plugin.js': '' }), /^it has no plugin\.json/],
    ['a definition that is no JSON', () => pack({ 'plugin.json': '{' }), /^its plugin\.json is not JSON/],
    ['a definition that is too large', () => pack({ 'plugin.json': ' '.repeat(4_194_305) }), /may have 4194304$/],
    [
      'a symbolic link',
      () => pack({ 'plugin.json': '{}' }, (folder) => symlinkSync('/etc/passwd', join(folder, 'plugin.js'))),
      'it holds plugin.js, which is a SymbolicLink, not a file',
    ],
    ['a hard link', () => archive(definition, { path: 'a', type: 'Link', text: '' }), 'it holds a, which is a Link'],
    ['a path upwards', () => archive(definition, { path: '../a', text: 'x' }), 'it holds ../a, which leads outside'],
    ['a path within upwards', () => archive(definition, { path: 'a/../../b', text: 'x' }), 'which leads outside'],
    ['a path from the root', () => archive(definition, { path: '/etc/cron.d/a', text: 'x' }), 'which leads outside'],
    ['a file that is there twice', () => archive(definition, definition), 'it has plugin.json twice'],
    ['too many files', () => archive(...manyFiles(5_001)), 'it has more than 5000 files'],
    ['too much', () => archive(definition, { path: 'a', text: 'x', size: 104_857_601 }), /more than 104857600 bytes/],
  ]
  for (const [what, make, message] of cases) {
    test(what, async () => {
      await expect(readPackage(await make())).rejects.toThrow(message)
    })
  }
})

function manyFiles(count: number) {
  return Array.from({ length: count }, (_, at) => ({ path: `f-${at}`, text: '' }))
}
