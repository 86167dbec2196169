import { describe, expect, test } from 'vitest'
import { maxJsonDepth } from '../../../validation/json-scanner.ts'
import { jsonPatch } from './json-patch.ts'

function refusal(target: unknown, patch: unknown): unknown {
  try {
    jsonPatch(target, patch)
  } catch (error) {
    return error
  }
  throw new Error(`applied: ${JSON.stringify(patch).slice(0, 200)}`)
}

describe('an operation', () => {
  const cases: readonly (readonly [what: string, target: unknown, operation: object, result: unknown])[] = [
    ['adds a key', { a: 1 }, { op: 'add', path: '/b', value: [2] }, { a: 1, b: [2] }],
    ['adds over an existing key', { a: 1 }, { op: 'add', path: '/a', value: null }, { a: null }],
    ['adds an item between others', { a: ['x', 'z'] }, { op: 'add', path: '/a/1', value: 'y' }, { a: ['x', 'y', 'z'] }],
    ['adds an item after the last', { a: ['x'] }, { op: 'add', path: '/a/1', value: 'y' }, { a: ['x', 'y'] }],
    ['adds an item at the end', ['x'], { op: 'add', path: '/-', value: ['y'] }, ['x', ['y']]],
    ['adds the whole document', { a: 1 }, { op: 'add', path: '', value: 2 }, 2],
    ['adds an empty key', {}, { op: 'add', path: '/', value: 1 }, { '': 1 }],
    ['adds a key that looks like an index', {}, { op: 'add', path: '/0', value: 1 }, { '0': 1 }],
    ['adds a key that looks like the end', {}, { op: 'add', path: '/-', value: 1 }, { '-': 1 }],
    ['ignores unknown members', {}, { op: 'add', path: '/a', value: 1, from: 7, x: 1 }, { a: 1 }],
    ['removes a key', { a: 1, b: 2 }, { op: 'remove', path: '/b' }, { a: 1 }],
    ['removes an item', { a: ['x', 'y', 'z'] }, { op: 'remove', path: '/a/1' }, { a: ['x', 'z'] }],
    ['replaces a value', { a: 1, b: 2 }, { op: 'replace', path: '/a', value: {} }, { a: {}, b: 2 }],
    ['replaces an item', ['x', 'y'], { op: 'replace', path: '/1', value: 'z' }, ['x', 'z']],
    ['replaces the whole document', { a: 1 }, { op: 'replace', path: '', value: [] }, []],
    ['replaces null', { a: null }, { op: 'replace', path: '/a', value: 1 }, { a: 1 }],
    ['moves a value', { a: { x: 1 }, b: {} }, { op: 'move', from: '/a/x', path: '/b/y' }, { a: {}, b: { y: 1 } }],
    ['moves an item', [1, 2, 3, 4], { op: 'move', from: '/1', path: '/3' }, [1, 3, 4, 2]],
    ['moves over its parent', { a: { x: 1 } }, { op: 'move', from: '/a/x', path: '/a' }, { a: 1 }],
    ['moves over the whole document', { a: { x: 1 } }, { op: 'move', from: '/a', path: '' }, { x: 1 }],
    ['moves a value to its own place', { a: 1, b: 2 }, { op: 'move', from: '/a', path: '/a' }, { a: 1, b: 2 }],
    ['moves to a key that begins with its own name', { a: 1 }, { op: 'move', from: '/a', path: '/ab' }, { ab: 1 }],
    ['copies a value', { a: { x: 1 } }, { op: 'copy', from: '/a', path: '/b' }, { a: { x: 1 }, b: { x: 1 } }],
    ['copies everything into itself', { a: 1 }, { op: 'copy', from: '', path: '/b' }, { a: 1, b: { a: 1 } }],
    [
      'tests a value in any key order',
      { a: { x: 1, y: [2] } },
      { op: 'test', path: '/a', value: { y: [2], x: 1 } },
      undefined,
    ],
    ['tests an escaped key', { 'a/b': { '~1': 10 } }, { op: 'test', path: '/a~1b/~01', value: 10 }, undefined],
    ['tests the whole document', [1], { op: 'test', path: '', value: [1] }, undefined],
    ['treats keys of the prototype like any', {}, { op: 'add', path: '/constructor', value: 1 }, { constructor: 1 }],
  ]
  for (const [what, target, operation, result = target] of cases) {
    test(what, () => expect(jsonPatch(target, [operation])).toEqual(result))
  }
})

test('operations follow each other', () => {
  const patch = [
    { op: 'test', path: '/n', value: 1 },
    { op: 'add', path: '/list', value: [] },
    { op: 'add', path: '/list/-', value: { n: 1 } },
    { op: 'copy', from: '/list/0', path: '/list/-' },
    { op: 'replace', path: '/list/1/n', value: 2 },
    { op: 'remove', path: '/n' },
  ]
  expect(jsonPatch({ n: 1 }, patch)).toEqual({ list: [{ n: 1 }, { n: 2 }] })
  expect(jsonPatch({ n: 1 }, [])).toEqual({ n: 1 })
})

describe('a patch is rejected with BadRequest that', () => {
  const path = '/a'
  const cases: readonly (readonly [what: string, patch: unknown, says: string])[] = [
    ['is no array', { op: 'remove', path }, 'an array of operations'],
    ['is too long', Array.from({ length: 1_001 }, () => ({ op: 'remove', path })), '1001 operations; at most 1000'],
    ['contains something else', ['remove'], 'operation 0 is no object'],
    ['has an operation without op', [{ path }], 'operation 0 has the op (none); known are add, remove, replace'],
    ['has an unknown op', [{ op: 'inc', path }], 'operation 0 has the op "inc"'],
    ['has an op of the prototype', [{ op: 'toString', path }], 'operation 0 has the op "toString"'],
    ['has an operation without path', [{ op: 'remove' }], 'operation 0 has no "path"'],
    ['has a path that is no text', [{ op: 'remove', path: ['a'] }], 'operation 0 has no "path"'],
    ['adds without a value', [{ op: 'add', path }], 'operation 0 has no "value", which add needs'],
    ['replaces without a value', [{ op: 'replace', path }], 'has no "value"'],
    ['tests without a value', [{ op: 'test', path }], 'has no "value"'],
    ['moves without from', [{ op: 'move', path }], 'has no "from"'],
    ['copies without from', [{ op: 'copy', path }], 'has no "from"'],
    [
      'has a path without its slash',
      [{ op: 'remove', path: 'a' }],
      'has the path "a", which must be empty or begin with "/"',
    ],
    ['has a path with a bare tilde', [{ op: 'remove', path: '/a~' }], '"~" must be written as "~0"'],
    ['has a path with another escape', [{ op: 'remove', path: '/~2' }], '"~" must be written as "~0"'],
    [
      'reaches for the prototype',
      [{ op: 'add', path: '/__proto__/x', value: 1 }],
      '"__proto__" is a key that no object',
    ],
    ['reads the prototype', [{ op: 'copy', from: '/__proto__', path }], 'has the from "/__proto__"'],
    [
      'has a malformed operation after one that cannot be applied',
      [
        { op: 'remove', path: '/x' },
        { op: 'inc', path },
      ],
      'operation 1',
    ],
  ]
  for (const [what, patch, says] of cases) {
    test(what, () =>
      expect(refusal({ a: 1 }, patch)).toMatchObject({
        reason: 'BadRequest',
        message: expect.stringContaining(says) as string,
      }),
    )
  }
})

describe('a patch is rejected with Invalid that', () => {
  const cases: readonly (readonly [what: string, operation: object, says: string])[] = [
    ['adds below a missing key', { op: 'add', path: '/x/y/z', value: 1 }, '(add /x/y/z) finds nothing at /x'],
    [
      'adds to a text',
      { op: 'add', path: '/text/y', value: 1 },
      '(add /text/y) cannot add to "milk", no object or array',
    ],
    ['adds below a text', { op: 'add', path: '/text/y/z', value: 1 }, 'finds nothing at /text/y'],
    ['adds beyond the end of an array', { op: 'add', path: '/list/3', value: 1 }, 'beyond the end of an array of 2'],
    ['adds at a name in an array', { op: 'add', path: '/list/length', value: 1 }, 'must end with an index or "-"'],
    [
      'adds at an index with a leading zero',
      { op: 'add', path: '/list/01', value: 1 },
      'must end with an index or "-"',
    ],
    ['adds at a negative index', { op: 'add', path: '/list/-1', value: 1 }, 'must end with an index or "-"'],
    ['removes a missing key', { op: 'remove', path: '/x' }, '(remove /x) finds nothing at /x'],
    ['removes the item after the last', { op: 'remove', path: '/list/2' }, 'finds nothing at /list/2'],
    ['removes at the end', { op: 'remove', path: '/list/-' }, 'finds nothing at /list/-'],
    ['removes an inherited member', { op: 'remove', path: '/constructor' }, 'finds nothing at /constructor'],
    ['removes the whole document', { op: 'remove', path: '' }, '(remove "") would leave nothing; delete the object'],
    ['replaces a missing key', { op: 'replace', path: '/x', value: 1 }, 'finds nothing at /x'],
    ['replaces below the prototype', { op: 'replace', path: '/constructor/prototype', value: 1 }, 'at /constructor'],
    ['moves a missing key', { op: 'move', from: '/x', path: '/y' }, '(move /y) finds nothing at /x'],
    ['moves a value into itself', { op: 'move', from: '/list', path: '/list/0' }, 'cannot move /list into itself'],
    ['moves the whole document into itself', { op: 'move', from: '', path: '/x' }, 'cannot move "" into itself'],
    ['copies a missing item', { op: 'copy', from: '/list/7', path: '/y' }, 'finds nothing at /list/7'],
    [
      'tests for another value',
      { op: 'test', path: '/text', value: 'x'.repeat(99) },
      `found "milk", not "${'x'.repeat(79)}…`,
    ],
    ['tests for another object', { op: 'test', path: '', value: {} }, 'found {"text":"milk","list":[1,2]}, not {}'],
    ['tests a missing key', { op: 'test', path: '/x', value: null }, 'finds nothing at /x'],
  ]
  for (const [what, operation, says] of cases) {
    test(what, () => {
      const target = { text: 'milk', list: [1, 2] }
      const error = refusal(target, [
        { op: 'remove', path: '/list/0' },
        { op: 'add', path: '/list/0', value: 1 },
        operation,
      ])
      expect(error).toMatchObject({
        reason: what.startsWith('tests for another') ? 'PreconditionFailed' : 'Invalid',
        message: expect.stringContaining(says) as string,
        errors: [{ pointer: '/2', field: '[2]', rule: 'patch', message: expect.stringContaining(says) as string }],
      })
      expect(target).toEqual({ text: 'milk', list: [1, 2] })
    })
  }
})

describe('the growth of a document is limited:', () => {
  test('copies of everything into itself', () => {
    const patch = Array.from({ length: 40 }, (_, at) => ({ op: 'copy', from: '', path: `/k${at}` }))
    expect(refusal({ a: 'x'.repeat(1_000) }, patch)).toMatchObject({ reason: 'Invalid', errors: [{ pointer: '/12' }] })
  })
  test('copies over each other, which cause work without growth', () => {
    const patch = Array.from({ length: 1_000 }, () => ({ op: 'copy', from: '/a', path: '/b' }))
    expect(refusal({ a: 'x'.repeat(100_000) }, patch)).toMatchObject({
      reason: 'Invalid',
      errors: [{ pointer: '/41' }],
    })
  })
  test('but not for values within the size of a body', () => {
    const digits = Array.from({ length: 500_000 }, () => 1)
    expect(jsonPatch({}, [{ op: 'add', path: '/a', value: digits }])).toEqual({ a: digits })
  })
  test('nested copies', () => {
    const patch = Array.from({ length: 90 }, () => ({ op: 'copy', from: '/a', path: '/a/0' }))
    expect(refusal({ a: [] }, patch)).toMatchObject({ reason: 'Invalid' })
  })
  test('nested moves', () => {
    const moves = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ op: 'move', from: `/${at + 1}`, path: `/0${'/0'.repeat(at + 1)}` }))
    const target = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [String(at), []]))
    expect(jsonPatch(target, moves(maxJsonDepth - 2))).toHaveProperty('0')
    expect(refusal(target, moves(maxJsonDepth - 1))).toMatchObject({
      reason: 'Invalid',
      message: 'the patch would nest the object deeper than 64 levels',
      errors: [{ pointer: '' }],
    })
    expect(refusal(target, moves(1_000))).toMatchObject({ reason: 'Invalid' })
    expect(refusal(target, [...moves(999), { op: 'test', path: '/0', value: 1 }])).toMatchObject({
      errors: [{ pointer: '/999' }],
    })
  })
})
