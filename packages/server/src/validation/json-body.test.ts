import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJsonBody } from './json-body.ts'
import { maxJsonDepth } from './json-scanner.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const parse = (body: string | Buffer) =>
  parseJsonBody('application/json', Buffer.from(body), { types: ['application/json'] }).value

function refusal(body: string | Buffer): unknown {
  try {
    parse(body)
  } catch (error) {
    return error
  }
  throw new Error(`taken: ${String(body).slice(0, 200)}`)
}

describe('the media type', () => {
  const patches = ['application/merge-patch+json', 'application/json-patch+json'] as const
  test('is matched without case and parameters, and returned', () => {
    expect(
      parseJsonBody('Application/JSON; charset=utf-8', Buffer.from('[]'), { types: ['application/json'] }),
    ).toEqual({
      mediaType: 'application/json',
      value: [],
    })
    expect(parseJsonBody(patches[1], Buffer.from('[]'), { types: patches }).mediaType).toBe(patches[1])
  })
  const cases: readonly (readonly [type: string | undefined, says: string])[] = [
    ['application/json', 'not as application/json'],
    [undefined, 'not as no content type'],
    [' ;charset=utf-8', 'not as no content type'],
  ]
  for (const [type, says] of cases) {
    test(`${type} is rejected`, () => {
      expect(() => parseJsonBody(type, Buffer.from('[]'), { types: patches })).toThrow(
        expect.objectContaining({
          reason: 'UnsupportedMediaType',
          message: `send the body as ${patches.join(' or ')}, ${says}`,
        }),
      )
    })
  }
})

describe('a body is accepted with', () => {
  const cases: readonly (readonly [what: string, body: string, value: unknown])[] = [
    ['non-ASCII characters', '{"a":[1,"é😀"]}', { a: [1, 'é😀'] }],
    ['spaces and line ends', ' {"a" :\r\n\t[ 1 , true , null ] } ', { a: [1, true, null] }],
    ['escapes', String.raw`{"\u0061":"\"\\\n\ud83d\ude00"}`, { a: '"\\\n😀' }],
    ['text that only looks like an escape', String.raw`["\\ud800"]`, [String.raw`\ud800`]],
    ['the same key in different objects', '{"a":{"a":[{"a":1},{"a":2}]}, "b":{"a":3}}', undefined],
    ['a value that equals its key', '{"a": "a", "b": "a"}', { a: 'a', b: 'a' }],
    ['keys that differ only in case', '{"a": 1, "A": 2}', { a: 1, A: 2 }],
    ['keys named like members of Object.prototype', '{"constructor": 1, "toString": 2, "proto": 3}', undefined],
    ['__proto__ as a value', '["__proto__"]', ['__proto__']],
    ['keys that sort as numbers', '{"2":1,"1":2}', { 1: 2, 2: 1 }],
    ['an empty key', '{"" : {"":1}}', { '': { '': 1 } }],
    [
      'other spellings of the same number',
      '[1.0, 1E2, 0.10, 1e-7, 120e-1, 0e999, 0.5e+1]',
      [1, 100, 0.1, 1e-7, 12, 0, 5],
    ],
    ['the largest and smallest safe integers', '[9007199254740991,-9007199254740991, 9007199254740991.0]', undefined],
    ['the smallest double', '[5e-324]', [5e-324]],
    ['minus zero, which is the number zero', '[-0, -0.0]', [-0, -0]],
    ['nothing but a number', '7', 7],
    ['nothing but a number and spaces', ' 7 ', 7],
  ]
  for (const [what, body, value = JSON.parse(body) as unknown] of cases) {
    test(what, () => expect(parse(body)).toEqual(value))
  }
  test(`${maxJsonDepth} levels of nesting`, () => {
    expect(JSON.stringify(parse(nested(maxJsonDepth)))).toBe(nested(maxJsonDepth))
    expect(JSON.stringify(parse(` ${nested(maxJsonDepth)}`))).toBe(nested(maxJsonDepth))
  })
  test('as many levels of nesting as the endpoint accepts', () => {
    const accepted = { types: ['application/json'], maxDepth: 70 }
    for (const space of ['', ' ']) {
      const parsed = (levels: number) =>
        parseJsonBody('application/json', Buffer.from(`${space}${nested(levels)}`), accepted)
      expect(JSON.stringify(parsed(70).value)).toBe(nested(70))
      expect(() => parsed(71)).toThrow('deeper than 70 levels')
    }
  })
})

describe('a body is rejected with BadRequest for', () => {
  const cases: readonly (readonly [what: string, body: string | Buffer, says: string | RegExp, pointer?: string])[] = [
    ['invalid JSON', '{"a":}', /not JSON: Unexpected token '}'/],
    ['an empty body', '', /not JSON: Unexpected end/],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'encode it as UTF-8'],
    ['a lone surrogate encoded as UTF-8', Buffer.from('22eda08022', 'hex'), 'encode it as UTF-8'],
    ['a byte order mark', '\ufeff{}', 'begins with a byte order mark; send it without'],
    ['a byte order mark of UTF-16', Buffer.from('fffe7b007d00', 'hex'), 'encode it as UTF-8'],
    ['too deep nesting', nested(maxJsonDepth + 1), 'deeper than 64 levels', '/0'.repeat(64)],
    ['too deep nesting beside spaces', ` ${nested(maxJsonDepth + 1)}`, 'deeper than 64 levels', '/0'.repeat(64)],
    ['the key __proto__', '{"a":{"__proto__":{}}}', '/a/__proto__ is a key', '/a/__proto__'],
    ['the key __proto__ with escapes', String.raw`[{"__pro\u0074o__":1}]`, 'no object may have', '/0/__proto__'],
    ['a duplicate key', '{"a":{"b/c":1,"b/c":1}}', '/a/b~1c is a duplicate key; send each key once', '/a/b~1c'],
    ['a duplicate key with others between', '[0,{"x":1, "y":{"x":1}, "x":[1]}]', 'is a duplicate key', '/1/x'],
    ['a duplicate key, once with an escape', String.raw`{"a":1,"\u0061":2}`, 'is a duplicate key', '/a'],
    ['a duplicate key that looks like an index', '{"1":1,"1":1}', 'is a duplicate key', '/1'],
    ['a lone high surrogate', String.raw`{"a":["\ud800"]}`, '/a/0 has half of a surrogate pair', '/a/0'],
    ['a lone low surrogate', String.raw`{"a":"x\uDFFFy"}`, 'send whole characters', '/a'],
    ['surrogates in the wrong order', String.raw`"\ude00\ud83d"`, 'unchanged: it has half', ''],
    ['a lone surrogate in a key', String.raw`{"a":{"\ud800b":1}}`, 'has half', '/a/\ufffdb'],
    ['a duplicate key, even after an invalid number', '{"n":1e999,"a":1,"a":1}', 'is a duplicate key', '/a'],
  ]
  for (const [what, body, says, pointer] of cases) {
    test(what, () => {
      expect(refusal(body)).toMatchObject({
        reason: 'BadRequest',
        message: expect.stringMatching(says) as string,
        errors: [{ pointer: pointer ?? '' }],
      })
    })
  }
})

describe('a number is rejected with Invalid if it is', () => {
  const cases: readonly (readonly [what: string, number: string, says: string])[] = [
    ['just beyond the safe integers', '9007199254740992', 'beyond ±9007199254740991'],
    ['just below the safe integers', '-9007199254740992', 'beyond ±9007199254740991'],
    ['an integer that no double holds', '9007199254740993', 'beyond ±9007199254740991'],
    ['a large integer with an exponent', '1e21', 'beyond ±9007199254740991'],
    ['a large integer as JavaScript writes it', '1e+21', 'beyond ±9007199254740991'],
    ['larger than any double', '1e400', 'beyond ±9007199254740991'],
    ['smaller than any double', '1e-400', 'which would be stored as 0'],
    ['more exact than a double', '0.10000000000000000001', 'which would be stored as 0.1'],
    [
      'more exact than a double, within the safe range',
      '9007199254740990.7',
      'which would be stored as 9007199254740991',
    ],
    ['a double written in full', '0.1000000000000000055511151231257827', 'which would be stored as 0.1'],
  ]
  for (const [what, number, says] of cases) {
    test(what, () => {
      const message = `is ${number}, ${says}; use a string`
      expect(refusal(`{"spec":{"n":[${number}]}}`)).toMatchObject({
        reason: 'Invalid',
        message: `the body is not valid: spec.n[0] ${message}`,
        errors: [{ pointer: '/spec/n/0', field: 'spec.n[0]', rule: 'number', message }],
      })
      expect(refusal(number)).toMatchObject({ reason: 'Invalid', message: `the body is not valid: it ${message}` })
    })
  }
})

test('all bad numbers are reported at once, up to a hundred', () => {
  expect(refusal('{"a":1e400,"b":[0,1e-400]}')).toMatchObject({ errors: [{ pointer: '/a' }, { pointer: '/b/1' }] })
  expect(refusal(`[${'1e400,'.repeat(1_000)}1]`)).toMatchObject({ errors: { length: 100 } })
})

describe('a hostile megabyte is rejected quickly with a small error:', () => {
  const size = 1024 * 1024
  const cases: readonly (readonly [what: string, body: string, reason: string])[] = [
    ['brackets never closed', '['.repeat(size), 'BadRequest'],
    ['brackets all closed', nested(size / 2), 'BadRequest'],
    ['objects in objects', `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`, 'BadRequest'],
    ['key after key without values', `{${'"a":'.repeat(size / 4)}`, 'BadRequest'],
    ['one key repeated', `{${'"a":1,'.repeat(size / 6)}"a":1}`, 'BadRequest'],
    ['one number of digits', '7'.repeat(size), 'Invalid'],
    ['one number of zeros between ones', `1.${'0'.repeat(size)}1`, 'Invalid'],
    ['one exponent', `1e${'9'.repeat(size)}`, 'Invalid'],
    ['bad numbers below a long key', `{"${'~'.repeat(size / 2)}":[${'1e999,'.repeat(size / 12)}1]}`, 'Invalid'],
    ['a long string of escapes that ends badly', `"${String.raw`\u0041`.repeat(size / 6)}\\ud800"`, 'BadRequest'],
  ]
  for (const [what, body, reason] of cases) {
    test(what, () => {
      const error = refusal(body)
      expect(error).toMatchObject({ reason })
      expect(JSON.stringify(error).length).toBeLessThan(4 * size)
    })
  }
})

/** JSON text, and whether it has a duplicate key. */
type Written = { readonly text: string; readonly repeats: boolean }

const space = fc.constantFrom('', '', '', ' ', '\n  ', '\t')
const spelledOut = (letters: string, escape: readonly boolean[]) =>
  `"${Array.from(letters, (letter, at) => (escape[at % escape.length] ? `\\u${unit(letter)}` : letter)).join('')}"`
const unit = (letter: string) => letter.charCodeAt(0).toString(16).padStart(4, '0')
const string = (letters: fc.Arbitrary<string>) =>
  fc.tuple(letters, fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }))
const key = string(fc.constantFrom('a', 'b', 'ab', '~/', 'é', '', '1', '10', 'constructor'))
const scalar = fc.oneof(
  fc.constantFrom('true', 'false', 'null', '-0', '1.0', '-1E2', '0.10', '12e-1', '""'),
  fc.integer().map(String),
  string(fc.string()).map(([letters]) => JSON.stringify(letters)),
  string(fc.constantFrom('x', 'é', ',', ':', '{', '[1')).map(([letters, escape]) => spelledOut(letters, escape)),
)
const json = fc.letrec<{ any: Written }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    scalar.map((text) => ({ text, repeats: false })),
    fc.tuple(fc.array(tie('any'), { maxLength: 4 }), space).map(([items, between]) => ({
      text: `[${between}${items.map(({ text }) => text).join(`${between},`)}${between}]`,
      repeats: items.some(({ repeats }) => repeats),
    })),
    fc.tuple(fc.array(fc.tuple(key, tie('any')), { maxLength: 4 }), space).map(([members, between]) => ({
      text: `{${members.map(([[name, escape], { text }]) => `${between}${spelledOut(name, escape)}${between}:${text}`).join(',')}${between}}`,
      repeats:
        new Set(members.map(([[name]]) => name)).size < members.length || members.some(([, value]) => value.repeats),
    })),
  ),
})).any

test('a body is parsed as JSON.parse does, unless it has a duplicate key: then it is rejected', () => {
  let taken = 0
  let refused = 0
  fc.assert(
    fc.property(json, ({ text, repeats }) => {
      if (repeats) {
        refused++
        expect(refusal(text)).toMatchObject({ reason: 'BadRequest', errors: [{ rule: 'duplicate' }] })
      } else {
        taken++
        expect(parse(text)).toEqual(JSON.parse(text))
      }
    }),
    { numRuns: 1_000 * Number(process.env['CASES'] ?? 1) },
  )
  expect(Math.min(taken, refused)).toBeGreaterThan(50)
})

test('the output of JSON.stringify is accepted if its numbers are safe', () => {
  const value = fc
    .jsonValue({ stringUnit: 'grapheme' })
    .filter((any) => !/__proto__/.test(JSON.stringify(any)) && numbersOf(any).every(isSafe))
  fc.assert(
    fc.property(value, fc.constantFrom('', ' '), (any, indent) => {
      expect(JSON.stringify(parse(JSON.stringify(any, null, indent)))).toBe(JSON.stringify(any))
    }),
  )
})

function numbersOf(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : []
}
const isSafe = (value: number) => Math.abs(value) <= Number.MAX_SAFE_INTEGER
