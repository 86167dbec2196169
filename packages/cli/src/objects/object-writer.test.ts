import { PassThrough } from 'node:stream'
import type { ApiObject } from '@pergola/client'
import { expect, test } from 'vitest'
import { createTerminal } from '../terminal/terminal.ts'
import {
  createJsonLinesWriter,
  createJsonWriter,
  createNameWriter,
  createTableWriter,
  createYamlWriter,
  type ObjectWriter,
} from './object-writer.ts'

function terminalOf({ rows, columns: width }: { readonly rows?: number; readonly columns?: number } = {}) {
  const screen = Object.assign(new PassThrough(), { isTTY: rows !== undefined, rows, columns: width })
  const stdout = screen as unknown as NodeJS.WriteStream
  const variables = { NO_COLOR: '1' }
  const terminal = createTerminal({ stdin: process.stdin, stdout, stderr: stdout, variables })
  return { terminal, written: () => String(screen.read() ?? '') }
}

function todo(name: string, spec: object = {}): ApiObject {
  const creationTimestamp = new Date(Date.now() - 90_000).toISOString()
  const metadata = { name, uid: 'u', version: 0, generation: 1, creationTimestamp }
  return { apiVersion: 'a/v1', kind: 'Todo', metadata, spec } as ApiObject
}

const fieldOf = (name: string) => (object: object) =>
  (object as { spec: Record<string, string | undefined> }).spec[name] ?? ''
const columns = [
  { head: 'TITLE', cellOf: fieldOf('title') },
  { head: 'DUE', cellOf: fieldOf('due') },
]

async function addAll(writer: ObjectWriter, objects: readonly ApiObject[]): Promise<void> {
  for (const object of objects) await writer.add(object)
}

test('a table on a narrow terminal has fewer columns and no wrapped lines', async () => {
  const { terminal, written } = terminalOf({ rows: 9, columns: 24 })
  const writer = createTableWriter(terminal, columns)
  await writer.add(todo('a', { title: 'One', due: '2030-01-01' }))
  await writer.end()
  expect(written()).toBe('  NAME  TITLE  AGE\n  a     One    1m\n')
})

test('a table takes its widths from the first screen of rows and prints them before the rest arrives', async () => {
  const { terminal, written } = terminalOf({ rows: 2 })
  const writer = createTableWriter(terminal, columns)
  await writer.add(todo('a', { title: 'One' }))
  expect(written()).toBe('')
  await writer.add(todo('b'))
  expect(written()).toBe('  NAME  TITLE  DUE  AGE\n  a     One         1m\n  b                 1m\n')
  await writer.add(todo('a-much-longer-name', { title: 'x' }))
  await writer.end()
  expect(written()).toBe('  a-much-longer-name  x           1m\n')
})

test('a table that fits on one screen omits empty columns; an empty table prints nothing', async () => {
  const { terminal, written } = terminalOf()
  const writer = createTableWriter(terminal, columns)
  await addAll(writer, [todo('a', { title: 'One' }), todo('b')])
  await writer.end()
  expect(written()).toBe('  NAME  TITLE  AGE\n  a     One    1m\n  b            1m\n')
  await createTableWriter(terminal, columns).end()
  expect(written()).toBe('')
})

test('a table of changes shows the change of each object', async () => {
  const { terminal, written } = terminalOf()
  const writer = createTableWriter(terminal, [], { withChange: true })
  await writer.add(todo('a'), 'present')
  await writer.flush()
  await writer.add(todo('b'), 'added')
  await writer.flush()
  expect(written()).toBe('  CHANGE   NAME  AGE\n  present  a     1m\n  added    b     1m\n')
})

test('JSON is one document, or one line per object for a watch; names are lines; YAML is what apply accepts', async () => {
  const { terminal, written } = terminalOf()
  for (const objects of [[], [todo('a'), todo('b')]]) {
    const writer = createJsonWriter(terminal)
    await addAll(writer, objects)
    await writer.end()
    expect(JSON.parse(written())).toEqual({ items: objects })
  }
  const lines = createJsonLinesWriter(terminal)
  await lines.add(todo('a'), 'added')
  await lines.flush()
  expect(JSON.parse(written())).toMatchObject({ change: 'added', object: { metadata: { name: 'a' } } })
  await lines.end()
  const names = createNameWriter(terminal)
  await addAll(names, [todo('a'), todo('b')])
  await names.end()
  expect(written()).toBe('a\nb\n')
  const yaml = await createYamlWriter(terminal)
  await yaml.add(todo('a'))
  await yaml.add(todo('b'), 'changed')
  await yaml.end()
  expect(written()).toMatch(/^apiVersion: a\/v1\n[^]*\n---\n# changed\napiVersion: a\/v1\n/)
})

test('output is flushed when the buffer is full', async () => {
  const { terminal, written } = terminalOf()
  const writer = createNameWriter(terminal)
  await addAll(
    writer,
    Array.from({ length: 400 }, (_, at) => todo(`${'x'.repeat(60)}-${at}`)),
  )
  expect(written().length).toBeGreaterThan(16_000)
})
