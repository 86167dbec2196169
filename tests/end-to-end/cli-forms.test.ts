import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { openTerminal } from './tmux-terminal.ts'

const model = `
apiVersion: plugin.platform.run/v1alpha1
kind: Model
spec:
  group: shop.example.com
  kind: Order
  singular: order
  plural: orders
  versions:
    - name: v1
      schema:
        properties:
          spec:
            type: object
            properties:
              title: { type: string }
              state: { enum: [open, paid] }
              total: { type: number }
              note: { type: string }
              lines: { type: array, items: { type: object, properties: { sku: { type: string }, count: { type: integer } } } }
  indexes: [{ name: spec.state }, { name: spec.total }]
---
apiVersion: shop.example.com/v1
kind: Order
metadata: { name: one }
spec:
  { title: 'Milk, "fresh"', state: open, total: 48.879999999999995, note: '', lines: [{ sku: a, count: 1 }, { sku: b, count: 3 }] }
---
apiVersion: shop.example.com/v1
kind: Order
metadata: { name: two }
spec: { title: A longer title of an order, state: paid, total: 3 }
`

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation()
  await installation.done(['apply', '-f', 'all.yaml'], { files: { 'all.yaml': model } })
})
afterAll(() => installation[Symbol.asyncDispose]())

const sorted = ['list', 'orders', '--sort', 'metadata.name', '-o']

describe('-o', () => {
  test('csv has the paths as header, and tells absent values from empty ones', async () => {
    const { done } = installation
    expect(await done([...sorted, 'csv=metadata.name,title,spec.total,spec.note,spec.lines'])).toBe(
      [
        'metadata.name,spec.title,spec.total,spec.note,spec.lines',
        'one,"Milk, ""fresh""",48.879999999999995,"","[{""sku"":""a"",""count"":1},{""sku"":""b"",""count"":3}]"',
        'two,A longer title of an order,3,,',
        '',
      ].join('\n'),
    )
    expect(await done([...sorted, 'csv'])).toMatch(
      /^metadata\.name,spec\.title,spec\.state,spec\.total,metadata\.creationTimestamp\none,/,
    )
    expect(await done(['list', 'orders', '--where', 'state=open', '--where', 'total>100', '-o', 'csv=title'])).toBe(
      'spec.title\n',
    )
  })

  test('jsonpath prints what it finds in each object; ndjson one object per line', async () => {
    const { done, run } = installation
    expect(await done([...sorted, 'jsonpath=.spec.lines[*].sku'])).toBe('a\nb\n')
    expect(await done([...sorted, 'jsonpath={.items[*].metadata.name}'])).toBe('one\ntwo\n')
    expect(await done([...sorted, 'jsonpath=.spec.lines[?(@.count>2)]'])).toBe('{"sku":"b","count":3}\n')
    expect(await done(['get', 'order', 'two', '-o', 'jsonpath=.spec.total'])).toBe('3\n')
    const lines = (await done([...sorted, 'ndjson'])).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { spec: { state: 'open' } },
      { spec: { state: 'paid' } },
    ])
    expect(await run([...sorted, 'jsonpath=.spec['])).toMatchObject({ code: 2, stdout: '' })
    expect((await run([...sorted, 'xml'])).stderr).toMatch(/Allowed choices are table, .*csv=<paths>/)
  })

  test('columns has only the named columns; wide has all fields; numbers have no binary fractions', async () => {
    const { done } = installation
    expect(await done([...sorted, 'columns=metadata.name,TO PAY:total,spec.lines[*].sku'])).toBe(
      ['  NAME  TO PAY  SKU', '  one   48.88   a, b', '  two   3', ''].join('\n'),
    )
    const [heads = ''] = (await done([...sorted, 'wide'])).split('\n')
    expect(heads).toMatch(/^ {2}NAME +TITLE +STATE +TOTAL +LINES +AGE$|^ {2}NAME +TITLE +STATE +TOTAL +AGE$/)
    expect((await done(['get', 'orders'])).split('\n')).toHaveLength(4)
    expect((await done(['get', 'orders', 'one', 'two', '-o', 'table'])).split('\n')).toHaveLength(4)
  })
})

test.each([60, 80, 160])('a table at a terminal of %s columns drops columns, and never wraps', async (columns) => {
  const { env, folder } = installation
  using terminal = openTerminal(env, folder, columns)
  const shown = await terminal.run('pergola list orders --sort metadata.name; pergola resources; pergola role list')
  const lines = shown.split('\n')
  const at = lines.findIndex((line) => line.startsWith('  NAME'))
  expect(lines[at + 1]).toMatch(columns === 60 ? /^ {2}one .*Milk.* \d+s$/ : /^ {2}one .*Milk.*open +48\.88 +\d+s$/)
  expect(lines[at + 2]).toMatch(/^ {2}two .* \d+[sm]$/)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
  expect(lines.filter((line) => line !== '' && !/^( {2}\S|\[|\$)/.test(line))).toEqual([])
})
