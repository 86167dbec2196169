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
  /** The size in the header, if it differs from the text. */
  readonly size?: number
}

/** An archive with arbitrary entries, valid or not. */
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

test('a package has a manifest, files and the digest of its bytes', async () => {
  const bytes = await pack({ 'plugin.json': '{"name":"todo"}', 'plugin.js': 'export {}', 'extensions/a.yaml': 'a: 1' })
  const read = await readPackage(bytes)
  expect(read.manifest).toEqual({ name: 'todo' })
  expect([...read.files.keys()].toSorted()).toEqual(['extensions/a.yaml', 'plugin.js', 'plugin.json'])
  expect(read.files.get('plugin.js')?.toString()).toBe('export {}')
  expect(read.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect((await readPackage(bytes)).digest).toBe(read.digest)
})

describe('rejects', () => {
  const definition = { path: 'plugin.json', text: '{}' }
  const cases: readonly (readonly [what: string, make: () => Promise<Buffer> | Buffer, message: string | RegExp])[] = [
    ['a file that is not an archive', () => Buffer.from('hello'), /^it is not a \.tgz archive/],
    ['a truncated archive', async () => (await pack({ 'plugin.json': '{}' })).subarray(0, 60), /not a \.tgz archive/],
    ['an archive without plugin.json', () => pack({ 'plugin.js': '' }), /^it has no plugin\.json/],
    ['a plugin.json that is not JSON', () => pack({ 'plugin.json': '{' }), /^its plugin\.json is not JSON/],
    [
      'a plugin.json that is too large',
      () => pack({ 'plugin.json': ' '.repeat(4_194_305) }),
      /at most 4194304 are allowed$/,
    ],
    [
      'a symbolic link',
      () => pack({ 'plugin.json': '{}' }, (folder) => symlinkSync('/etc/passwd', join(folder, 'plugin.js'))),
      'it holds plugin.js, which is a SymbolicLink, not a file',
    ],
    ['a hard link', () => archive(definition, { path: 'a', type: 'Link', text: '' }), 'it holds a, which is a Link'],
    [
      'a path with ..',
      () => archive(definition, { path: '../a', text: 'x' }),
      'it holds ../a, which is a path outside of the package',
    ],
    [
      'a path with .. inside',
      () => archive(definition, { path: 'a/../../b', text: 'x' }),
      'which is a path outside of the package',
    ],
    [
      'an absolute path',
      () => archive(definition, { path: '/etc/cron.d/a', text: 'x' }),
      'which is a path outside of the package',
    ],
    ['a duplicate file', () => archive(definition, definition), 'it has plugin.json twice'],
    ['too many files', () => archive(...manyFiles(5_001)), 'it has more than 5000 files'],
    [
      'too many bytes',
      () => archive(definition, { path: 'a', text: 'x', size: 104_857_601 }),
      /more than 104857600 bytes/,
    ],
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
