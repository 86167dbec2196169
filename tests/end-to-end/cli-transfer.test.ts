import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { startPergola } from './pergola-process.ts'

const patience = { timeout: 60_000, interval: 1 }
const count = 3_000
const model = `
apiVersion: plugin.platform.run/v1alpha1
kind: Model
spec:
  group: shop.example.com
  kind: Order
  singular: order
  plural: orders
  statusSubresource: true
  specRequired: true
  versions:
    - name: v1
      schema:
        properties:
          spec:
            type: object
            required: [title]
            properties:
              title: { type: string, maxLength: 40 }
              note: { type: string }
              total: { type: number }
              tags: { type: array, items: { type: string } }
              address: { type: object, properties: { city: { type: string }, zip: { type: string } } }
          status: { type: object, properties: { paid: { type: boolean } } }
  indexes: [{ name: spec.title, unique: true }]
`
const header = { export: 1, apiVersion: 'shop.example.com/v1', kind: 'Order', resource: 'orders' }
const order = (name: string, spec: object, more: object = {}) => ({
  apiVersion: 'shop.example.com/v1',
  kind: 'Order',
  metadata: { name },
  spec: { title: name, ...spec },
  ...more,
})
const asLines = (objects: readonly object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join('')

let source: Installation
let target: Installation
beforeAll(async () => {
  source = await startInstallation()
  target = await startInstallation()
  await source.done(['apply', '-f', 'model.yaml'], { files: { 'model.yaml': model } })
  const objects = Array.from({ length: count }, (_, at) =>
    order(
      `order-${at}`,
      { note: `${at}`, total: at / 10, tags: ['a', `b,"${at}"`] },
      at % 7 === 0 ? { status: { paid: true } } : {},
    ),
  )
  await source.done(['import', 'all.ndjson'], { files: { 'all.ndjson': asLines([header, ...objects]) } })
})
afterAll(async () => {
  await source[Symbol.asyncDispose]()
  await target[Symbol.asyncDispose]()
})

interface Stored {
  readonly metadata: { readonly name: string; readonly uid?: string }
}

/** All objects in the order of their creation, without what the server owns. */
async function allOf(installation: Installation, resource: string): Promise<readonly object[]> {
  const text = await installation.done(['list', resource, '--sort', 'metadata.creationTimestamp,asc', '-o', 'ndjson'])
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const { metadata, ...object } = JSON.parse(line) as Stored
    const {
      uid: _,
      version: __,
      generation: ___,
      creationTimestamp: ____,
      ...said
    } = metadata as never as Record<string, unknown>
    return { ...object, metadata: said }
  })
}

/** Starts a command until it is killed after its first progress; returns false when it was done before. */
async function isKilled(installation: Installation, args: readonly string[], progress: string): Promise<boolean> {
  const { folder, env } = installation
  const file = join(folder, progress)
  await using process = startPergola({ args, directory: folder, env })
  let isEnded = false
  void process.exited.then(() => (isEnded = true))
  await expect.poll(() => existsSync(file) || isEnded, patience).toBe(true)
  process.signal('SIGKILL')
  await process.exited
  return existsSync(file)
}

describe('pergola export and import', () => {
  test('move everything to an empty server: models, objects, status and order; each is continued after a kill', async () => {
    const { folder } = source
    const out = join(folder, 'moved.ndjson')
    while (!(await isKilled(source, ['export', '--all', '-o', 'moved.ndjson'], 'moved.ndjson.progress'))) rmSync(out)
    expect(existsSync(out)).toBe(false)
    // What was written behind the last progress is written again.
    writeFileSync(`${out}.partial`, '{"half', { flag: 'a' })
    expect(await source.done(['export', '--all', '-o', 'moved.ndjson', '--resume'])).toMatch(
      / objects in moved\.ndjson/,
    )
    const text = readFileSync(out, 'utf8')
    expect(text.match(/"name":"order-\d+"/g)).toHaveLength(count)
    expect(existsSync(`${out}.progress`)).toBe(false)

    writeFileSync(join(target.folder, 'moved.ndjson'), text)
    expect(await isKilled(target, ['import', 'moved.ndjson'], 'moved.ndjson.progress')).toBe(true)
    const before = JSON.parse(readFileSync(join(target.folder, 'moved.ndjson.progress'), 'utf8')) as { number: number }
    expect(before.number).toBeLessThan(text.split('\n').length - 2)
    const done = await target.done(['import', 'moved.ndjson', '--resume'])
    expect(done).toMatch(/created/)
    expect(existsSync(join(target.folder, 'moved.ndjson.progress'))).toBe(false)
    expect(await allOf(target, 'orders')).toEqual(await allOf(source, 'orders'))
    expect(await target.done(['import', 'moved.ndjson'])).toMatch(/^ {2}[\d,]+ unchanged {2}/)
  })

  test('--resume needs an interrupted run of the same file', async () => {
    const none = await source.run(['import', 'all.ndjson', '--resume'])
    expect([none.code, none.stderr]).toEqual([1, 'there is no interrupted import of all.ndjson to continue\n'])
    expect((await source.run(['export', 'orders', '-o', 'never.ndjson', '--resume'])).code).toBe(1)
    const size = { url: source.url, size: 1, number: 1, end: 1, tally: {} }
    const files = { 'all.ndjson.progress': JSON.stringify(size) }
    expect((await source.run(['import', 'all.ndjson', '--resume'], { files })).stderr).toMatch(/has changed since/)
  })

  test('report errors by line, and do the others', async () => {
    const lines = [
      JSON.stringify(header),
      JSON.stringify(order('good-1', {})),
      '{"half',
      JSON.stringify(order('bad', { colour: 'red', title: 'x'.repeat(50) })),
      JSON.stringify({ ...order('x', {}), kind: 'Nothing' }),
      JSON.stringify(order('good-2', { title: 'good-1' })),
      JSON.stringify(order('good-3', {})),
      JSON.stringify(order('good-3', { note: 'twice' })),
    ]
    const files = { 'broken.ndjson': lines.join('\n') }
    const plan = await source.run(['import', 'broken.ndjson', '--plan'], { files })
    expect([plan.code, plan.stdout]).toEqual([1, expect.stringMatching(/a plan, nothing has been changed/)])
    expect((await source.run(['get', 'order', 'good-1'])).code).toBe(1)
    const { code, stdout, stderr } = await source.run(['import', 'broken.ndjson'])
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^ {2}2 created, 1 changed, 4 failed {2}/)])
    expect(stderr).toContain('broken.ndjson:3 is not JSON\n')
    expect(stderr).toMatch(/broken\.ndjson:4 order bad: the order is not valid\n {6}spec\.\w+ .*\n {6}spec\.\w+ /)
    expect(stderr).toContain('broken.ndjson:5 there is no Nothing in shop.example.com/v1\n')
    expect(stderr).toMatch(/broken\.ndjson:6 order good-2: .*good-1/)
    expect(await source.done(['get', 'order', 'good-3', '-o', 'jsonpath=.spec.note'])).toBe('twice\n')
    await source.done(['delete', 'orders', 'good-1', 'good-3', '--yes'])
  })

  test('CSV has the fields of a model; other fields are kept, an empty cell removes, "" is empty', async () => {
    const { done, folder, run } = source
    const spec = { note: 'line 1\r\nline "2"', total: 1.1, tags: ['x'], address: { city: 'Rome', zip: '00100' } }
    await done(['import', 'one.ndjson'], { files: { 'one.ndjson': asLines([order('csv-1', spec)]) } })
    await done(['export', 'orders', '--where', 'title=csv-1', '-o', 'one.csv'])
    expect(readFileSync(join(folder, 'one.csv'), 'utf8')).toMatch(
      /^metadata\.name,metadata\.labels,spec\.title,.*spec\.address\.city,/,
    )
    expect(await done(['import', 'one.csv', '--resource', 'orders'])).toMatch(/^ {2}1 unchanged/)
    await done(['delete', 'order', 'csv-1', '--yes'])
    expect(await done(['import', 'one.csv', '--resource', 'orders'])).toMatch(/^ {2}1 created/)
    expect(JSON.parse(await done(['get', 'order', 'csv-1', '-o', 'json']))).toMatchObject({
      spec: { title: 'csv-1', ...spec },
    })
    const files = {
      'part.csv': 'metadata.name,spec.note,spec.address.zip,spec.total\ncsv-1,"",,7\n"csv-2",,,\nshort\na"b"c,,,\n',
    }
    const part = await run(['import', 'part.csv', '--resource', 'orders'], { files })
    expect(part.stderr).toMatch(
      /part\.csv:3 order csv-2: .*\n[^]*part\.csv:4 has 1 cells, and the header 4\npart\.csv:5 is not CSV/,
    )
    expect(JSON.parse(await done(['get', 'order', 'csv-1', '-o', 'json']))).toMatchObject({
      spec: { title: 'csv-1', note: '', total: 7, tags: ['x'], address: { city: 'Rome' } },
    })
    expect(await done(['get', 'order', 'csv-1', '-o', 'jsonpath=.spec.address.zip'])).toBe('')
    const wrong = await run(['import', 'wrong.csv', '--resource', 'orders'], {
      files: { 'wrong.csv': 'metadata.name,spec.colour\n' },
    })
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('wrong.csv:1 "spec.colour" is not a field')])
  })
})
