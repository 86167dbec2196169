import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readDocuments } from './read-documents.ts'

const todo = (name: string) => `apiVersion: todo.example.com/v1\nkind: Todo\nmetadata:\n  name: ${name}\n`
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pergola-documents-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function read(
  files: Readonly<Record<string, string>>,
  { path = '.', recursive = false, input = '' } = {},
): Promise<readonly string[]> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const named = path === '-' ? path : join(folder, path)
  const documents = await readDocuments([named], { recursive, readInput: async () => input })
  return documents.map(
    ({ object, number, placeOf }) =>
      `${object.metadata.name} ${number} ${placeOf(['metadata', 'name']).replace(`${folder}/`, '')}`,
  )
}

describe('objects are read', () => {
  test('from the documents of a file, each with its line', async () =>
    expect(await read({ 'a.yaml': `${todo('milk')}---\n${todo('tea')}---\n` }, { path: 'a.yaml' })).toEqual([
      'milk 1 a.yaml:4',
      'tea 2 a.yaml:9',
    ]))

  test('from the files of a folder in order of name, and from subfolders only with recursive', async () => {
    const files = { 'b.yaml': todo('two'), 'a.yml': todo('one'), 'deep/c.yaml': todo('three'), 'read.me': 'no' }
    expect(await read(files)).toEqual(['one 1 a.yml:4', 'two 1 b.yaml:4'])
    expect(await read(files, { recursive: true })).toHaveLength(3)
  })

  test('from JSON, from lists and from stdin', async () => {
    const object = { apiVersion: 'v1', kind: 'Role', metadata: { name: 'one' } }
    const other = { ...object, metadata: { name: 'two' } }
    expect(await read({ 'a.json': JSON.stringify(object) })).toEqual(['one 1 a.json'])
    expect(await read({}, { path: '-', input: JSON.stringify({ items: [object, other] }) })).toEqual([
      'one 1 -',
      'two 2 -',
    ])
    expect(await read({}, { path: '-', input: todo('milk') })).toEqual(['milk 1 -:4'])
  })
})

describe('reading fails', () => {
  test.each([
    ['for invalid YAML', `${todo('a')}---\na: [\n`, /a\.yaml:\d+ /],
    ['for a duplicate key', `${todo('a')}kind: Todo\n`, /a\.yaml:5 Map keys must be unique/],
    ['for a document that is not an object', `${todo('a')}---\n- 1\n`, /a\.yaml:6 is not an object/],
    ['without a kind', 'apiVersion: v1\nmetadata: { name: a }\n', /a\.yaml:1 has no kind/],
    ['without a name', 'apiVersion: v1\nkind: Role\nmetadata: { generateName: a- }\n', /has no metadata\.name/],
    ['for a duplicate object', `${todo('a')}---\n${todo('a')}`, /a\.yaml:6 is Todo "a", as .*a\.yaml:1 is/],
    ['for an empty file', '', /there is no object in/],
    ['for too many aliases', bomb(), /[Ee]xcessive alias/],
  ])('%s', (_what, text, words) => expect(read({ 'a.yaml': text }, { path: 'a.yaml' })).rejects.toThrow(words))

  test('for truncated JSON, with its line', () =>
    expect(read({ 'a.json': '{\n"kind":\n' }, { path: 'a.json' })).rejects.toThrow(/a\.json(:\d)? /))

  test('for a missing file', () => expect(read({}, { path: 'b.yaml' })).rejects.toThrow(/cannot be read/))
})

function bomb(): string {
  const lists = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}]`)
  return ['a0: &a0 x', ...lists].join('\n')
}
