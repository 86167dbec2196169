import { expect, test } from 'vitest'
import { compileSchema } from './schema-validator.ts'

test('every fault is reported at once, at its place and in plain words', () => {
  const validate = compileSchema({
    type: 'object',
    properties: {
      title: { type: 'string', maxLength: 3 },
      state: { enum: ['open', 'done'] },
      tags: { type: 'array', minItems: 1, items: { type: ['string', 'null'] } },
      owner: {},
    },
    required: ['owner'],
    additionalProperties: false,
  })
  expect(
    validate({ title: 'long', state: 'shut', tags: [1], 'a/b': 1 }).map(({ pointer, rule, message }) => [
      pointer,
      rule,
      message,
    ]),
  ).toEqual([
    ['/owner', 'required', 'is required'],
    ['/a~1b', 'unknown', 'is not a known field'],
    ['/title', 'maxLength', 'must have at most 3 characters'],
    ['/state', 'enum', 'must be one of open, done'],
    ['/tags/0', 'type', 'must be of type string, null'],
  ])
  expect(validate({ owner: 1, tags: [] })).toMatchObject([
    { rule: 'minItems', message: 'must have at least 1 items', params: { limit: 1 } },
  ])
  expect(validate({ owner: 1 })).toEqual([])
})

test('a value made to fail in a million places costs little and is answered with little', () => {
  const validate = compileSchema({ type: 'array', items: { type: 'object' } })
  const started = performance.now()
  expect(validate(Array.from({ length: 500_000 }, () => 1))).toHaveLength(1)
  expect(performance.now() - started).toBeLessThan(500)
  expect(validate(Array.from({ length: 4_000 }, () => 1))).toHaveLength(100)
})

test('a pattern made to backtrack takes no time', () => {
  const validate = compileSchema({ type: 'string', pattern: '^(a+)+$' })
  const started = performance.now()
  expect(validate(`${'a'.repeat(50_000)}!`)).toHaveLength(1)
  expect(performance.now() - started).toBeLessThan(1_000)
})

test('a pattern that needs backtracking is refused when the schema is compiled', () => {
  expect(() => compileSchema({ type: 'string', pattern: '(a)\\1' })).toThrow(/invalid escape/)
})
