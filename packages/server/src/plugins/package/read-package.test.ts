import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { create, Header } from 'tar'
import { afterAll, describe, expect, test } from 'vitest'
import { createPackageReader } from './read-package.ts'

const directory = mkdtempSync(join(tmpdir(), 'pergola-package-'))
const reader = createPackageReader()
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await reader[Symbol.asyncDispose]()
})
let packages = 0
const mebibyte = 1024 * 1024

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
  readonly type?: 'File' | 'Link' | 'ExtendedHeader'
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
  const read = await reader.read(bytes)
  expect(read.manifest).toEqual({ name: 'todo' })
  expect([...read.files.keys()].toSorted()).toEqual(['extensions/a.yaml', 'plugin.js', 'plugin.json'])
  expect(read.files.get('plugin.js')?.toString()).toBe('export {}')
  expect(read.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect((await reader.read(bytes)).digest).toBe(read.digest)
})

test('an archive may consist of several gzip members, and ends at its end marker', async () => {
  const plain = gunzipSync(await pack({ 'plugin.json': '{}', 'a.txt': 'a' }))
  const members = [plain.subarray(0, 700), plain.subarray(700), Buffer.alloc(110 * mebibyte)].map((part) =>
    gzipSync(part, { level: 1 }),
  )
  const { files } = await reader.read(Buffer.concat(members))
  expect([...files.keys()].toSorted()).toEqual(['a.txt', 'plugin.json'])
})

test('the documents of extensions are parsed, in the order of the files', async () => {
  const { documents } = await reader.read(
    await pack({
      'plugin.json': '{}',
      'extensions/b.yml': 'b: 1\n---\nb: 2',
      'extensions/a.yaml': 'a: 1',
      'c.yaml': '{',
    }),
  )
  expect([...documents]).toEqual([
    ['extensions/a.yaml', [{ a: 1 }]],
    ['extensions/b.yml', [{ b: 1 }, { b: 2 }]],
  ])
})

test('a package is read without blocking, and one that ends the thread is rejected alone', async () => {
  const good = await pack({ 'plugin.json': '{"name":"todo"}' })
  await reader.read(good)
  const order: string[] = []
  const list = `[${','.repeat(260_000)}]`
  const bad = reader
    .read(await pack({ 'plugin.json': '{}', 'extensions/a.yaml': list }))
    .catch((error: unknown) => error)
    .finally(() => order.push('rejected'))
  const next = reader.read(good)
  // A reader on the main thread would have finished before so many turns.
  for (let turns = 0; turns < 1_000; turns++) await new Promise(setImmediate)
  order.push('turned')
  // By the thread's CPU time or its memory, whichever is exceeded first.
  expect(String(await bad)).toMatch(/it takes (too much memory|more than 5000 ms) to read/)
  expect(order).toEqual(['turned', 'rejected'])
  expect((await next).manifest).toEqual({ name: 'todo' })
})

describe('rejects', () => {
  const definition = { path: 'plugin.json', text: '{}' }
  const cases: readonly (readonly [what: string, make: () => Promise<Buffer> | Buffer, message: string | RegExp])[] = [
    ['a file that is not an archive', () => Buffer.from('hello'), /^it is not a \.tgz archive/],
    ['an archive that is not compressed', async () => gunzipSync(await pack({ 'plugin.json': '{}' })), 'by gzip'],
    ['an archive that is compressed twice', async () => gzipSync(await pack({ 'plugin.json': '{}' })), 'twice'],
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
      'it contains plugin.js, which is a SymbolicLink, not a file',
    ],
    ['a hard link', () => archive(definition, { path: 'a', type: 'Link', text: '' }), 'it contains a, which is a Link'],
    [
      'a path with ..',
      () => archive(definition, { path: '../a', text: 'x' }),
      'it contains ../a, which is a path outside of the package',
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
    ['too many bytes between files', () => headersOf(101), 'it unpacks to more than 104857600 bytes'],
    [
      'too many bytes of declared objects',
      () => pack({ 'plugin.json': '{}', 'extensions/a.yaml': ' '.repeat(262_144), 'extensions/b.yaml': ' ' }),
      'its extensions have 262145 bytes; at most 262144 are allowed',
    ],
    [
      'declared objects that are not YAML',
      () => pack({ 'plugin.json': '{}', 'extensions/a.yaml': 'a: [' }),
      'extensions/a.yaml cannot be read: ',
    ],
  ]
  for (const [what, make, message] of cases) {
    test(what, async () => {
      await expect(reader.read(await make())).rejects.toThrow(message)
    })
  }
})

/** Extended headers, which belong to no file and are not counted by their declared sizes. */
function headersOf(mebibytes: number) {
  const text = `${mebibyte - 512} comment=${'x'.repeat(mebibyte - 512 - 17)}\n`
  const header = { path: 'plugin.json', type: 'ExtendedHeader' as const, text }
  return archive(...Array.from({ length: mebibytes }, () => header))
}

function manyFiles(count: number) {
  return Array.from({ length: count }, (_, at) => ({ path: `f-${at}`, text: '' }))
}
