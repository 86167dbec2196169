import { describe, expect, test } from 'vitest'
import { maxJsonDepth, parseJsonBody } from './json-body.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

test('a JSON body is read, whatever the parameters of its type', () => {
  expect(parseJsonBody('Application/JSON; charset=utf-8', Buffer.from('{"a":[1,"é"]}'))).toEqual({ a: [1, 'é'] })
  expect(parseJsonBody('application/json', Buffer.from(nested(maxJsonDepth)))).toBeInstanceOf(Array)
})

describe('refused is', () => {
  const cases: readonly (readonly [what: string, type: string | undefined, body: string | Buffer, reason: string])[] = [
    ['another type', 'text/plain', '{}', 'UnsupportedMediaType'],
    ['no type', undefined, '{}', 'UnsupportedMediaType'],
    ['what is no JSON', 'application/json', '{', 'BadRequest'],
    ['nothing', 'application/json', '', 'BadRequest'],
    ['what is not UTF-8', 'application/json', Buffer.from([0x22, 0xff, 0x22]), 'BadRequest'],
    ['a byte order mark', 'application/json', Buffer.from('\ufeff{}'), 'BadRequest'],
    ['too deep nesting', 'application/json', nested(maxJsonDepth + 1), 'BadRequest'],
    ['a key that would reach the prototype', 'application/json', '{"a":{"__proto__":{}}}', 'BadRequest'],
  ]
  for (const [what, type, body, reason] of cases) {
    test(what, () => {
      expect(() => parseJsonBody(type, Buffer.from(body))).toThrow(expect.objectContaining({ reason }))
    })
  }
})
