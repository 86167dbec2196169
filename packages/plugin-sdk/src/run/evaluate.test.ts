import { describe, expect, test } from 'vitest'
import { defineModel, definePlugin, invalid, notFound, t, withDefault } from '../index.ts'
import { evaluate as evaluateAll, type EvaluateItem } from './evaluate.ts'

const Note = defineModel({
  apiVersion: 'notes.example.com/v1',
  kind: 'Note',
  plural: 'notes',
  spec: t.Object({ text: t.String(), state: withDefault(t.String(), 'open') }),
  indexes: [
    'spec.text',
    { name: 'words', multi: ({ spec }) => spec.text.split(' ') },
    { name: 'state', single: ({ spec }) => spec.state },
    { name: 'none', single: () => null },
    { name: 'undefined', single: () => undefined },
    { name: 'number', single: () => 7 as never },
    { name: 'numbers', multi: () => [7] as never },
    { name: 'letters', multi: ({ spec }) => spec.text },
    { name: 'nothing', multi: () => undefined as never },
    { name: 'late', single: (() => Promise.reject(new Error('late'))) as () => never },
    {
      name: 'endless',
      *multi() {
        for (let at = 0; ; at++) yield String(at)
      },
    },
    {
      name: 'thrown',
      single: () => {
        throw new Error('no idea')
      },
    },
    {
      name: 'changing',
      single: (note) => {
        ;(note.spec as { text: string }).text = 'mine'
        return note.spec.text
      },
    },
  ],
  check: ({ spec }, { stored, verb, caller }) => {
    if (spec.text === 'bad') invalid('spec.text', 'is bad')
    if (spec.text === 'gone') notFound('note')
    if (spec.text === 'context') invalid('spec', `${verb} ${caller} ${stored?.spec.state}`)
  },
})
const plugin = definePlugin({ name: 'notes', models: [Note] })

const item = (text: string, parts: Partial<EvaluateItem> = {}): EvaluateItem => ({
  group: 'notes.example.com',
  plural: 'notes',
  object: { metadata: { name: 'a' }, spec: { text } },
  indexes: [],
  ...parts,
})
const evaluate = (of: typeof plugin, items: readonly EvaluateItem[]) => evaluateAll(of, items, () => {})
const values = (name: string) => evaluate(plugin, [item('buy milk', { indexes: [name] })])[0]

describe('values', () => {
  test.each([
    ['words', ['buy', 'milk']],
    ['state', ['open']],
    ['none', []],
    ['undefined', []],
  ])('%s', (name, expected) => expect(values(name)).toEqual({ values: { [name]: expected } }))

  test.each([
    ['number', 'the index "number" of Note returns a number; index values are strings, convert it'],
    ['numbers', 'the index "numbers" of Note returns a number; index values are strings, convert it'],
    ['letters', 'the index "letters" of Note returns a string; it must return strings, for example in an array'],
    ['nothing', 'the index "nothing" of Note returns a undefined; it must return strings, for example in an array'],
    ['late', 'the index "late" of Note is asynchronous; it must answer at once'],
    ['thrown', 'the index "thrown" of Note failed: no idea'],
    ['missing', 'the index "missing" of Note is not a function index'],
    ['spec.text', 'the index "spec.text" of Note is not a function index'],
  ])('%s fails with a message', (name, failed) => expect(values(name)).toEqual({ failed }))

  test('of an infinite iterator are truncated at one over the limit', () => {
    expect(values('endless')).toMatchObject({ values: { endless: { length: 257 } } })
  })

  test('are computed on a frozen object', () => {
    expect(values('changing')).toMatchObject({ failed: expect.stringContaining('read only') as string })
  })
})

describe('check', () => {
  const check = { verb: 'create' } as const

  test('returns no error or the errors', () => {
    expect(evaluate(plugin, [item('good', { check }), item('bad', { check }), item('bad')])).toEqual([
      { values: {} },
      {
        values: {},
        errors: [{ pointer: '/spec/text', field: 'spec.text', rule: 'check', message: 'is bad' }],
      },
      { values: {} },
    ])
  })

  test('gets the stored object with defaults, the verb and the caller', () => {
    const stored = { metadata: { name: 'a' }, spec: { text: 'before' } }
    const [first] = evaluate(plugin, [item('context', { check: { verb: 'update', caller: 'ann', stored } })])
    expect(first).toMatchObject({ errors: [{ message: 'update ann open' }] })
  })

  test('that throws another error has failed', () => {
    expect(evaluate(plugin, [item('gone', { check })])).toEqual([{ failed: 'there is no such note' }])
  })

  test('runs before index functions that fail on the rejected object', () => {
    expect(evaluate(plugin, [item('bad', { check, indexes: ['thrown'] })])).toMatchObject([{ errors: [{}] }])
  })
})

test('an index function that throws is logged as that, also when the model has a check', () => {
  const lines: string[] = []
  const items = [item('a', { check: { verb: 'create' }, indexes: ['thrown'] })]
  expect(evaluateAll(plugin, items, (line) => lines.push(line))).toEqual([
    { failed: 'the index "thrown" of Note failed: no idea' },
  ])
  expect(lines).toEqual([expect.stringMatching(/^notes "a": the index "thrown" of Note failed: Error: no idea\n +at /)])
})

test('a failure affects only its item, and results are in order', () => {
  const items = [
    item('a', { indexes: ['words'] }),
    item('b', { indexes: ['thrown'] }),
    item('c', { indexes: ['words'] }),
  ]
  expect(evaluate(plugin, [...items, item('d', { plural: 'others' })])).toEqual([
    { values: { words: ['a'] } },
    { failed: 'the index "thrown" of Note failed: no idea' },
    { values: { words: ['c'] } },
    { failed: 'there is no model others in notes.example.com' },
  ])
})

test('the first failure is logged with the object and the stack', () => {
  const lines: string[] = []
  const items = ['a', 'b'].map((text) => item(text, { indexes: ['thrown'] }))
  evaluateAll(plugin, items, (line) => lines.push(line))
  expect(lines).toEqual([expect.stringMatching(/^notes "a": the index "thrown" of Note failed: Error: no idea\n +at /)])
})
