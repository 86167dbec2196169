import { expect, test } from 'vitest'
import { errorLine, errorText } from './error-text.ts'

const refused = new Error('connect ECONNREFUSED 127.0.0.1:1')
const failed = new TypeError('fetch failed', { cause: refused })

test('an error is printed with its stack trace and the chain of its causes', () => {
  const text = errorText(new Error('not delivered', { cause: failed }))
  expect(text).toMatch(/^Error: not delivered\n {4}at /)
  expect(text.split('\n').slice(-2)).toEqual([
    '  caused by: TypeError: fetch failed',
    '  caused by: Error: connect ECONNREFUSED 127.0.0.1:1',
  ])
})

test('in one line, an error is printed with its causes and without a stack trace', () => {
  expect(errorLine(failed)).toBe('TypeError: fetch failed; caused by: Error: connect ECONNREFUSED 127.0.0.1:1')
  expect(errorLine('a text')).toBe('a text')
})

test('the errors of an aggregate are printed', () => {
  const several = new AggregateError([refused, new Error('connect ECONNREFUSED ::1:1')])
  expect(errorLine(new TypeError('fetch failed', { cause: several }))).toContain(
    'caused by: AggregateError (Error: connect ECONNREFUSED 127.0.0.1:1, Error: connect ECONNREFUSED ::1:1)',
  )
})

test('a chain of causes that leads back to its error ends', () => {
  const error = new Error('circular')
  error.cause = error
  expect(errorLine(error).split('; ')).toHaveLength(6)
})
