import { expect, test } from 'vitest'
import { createLog, type LogOptions } from './log.ts'

function written(options: Partial<LogOptions>, use: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  use(createLog({ level: 'info', pretty: false, write: (line) => (text += line), ...options }))
  return text
}

test('a line is one JSON object with its time', () => {
  const line = written({}, (log) => log.info({ requestId: 'r1' }, 'request'))
  expect(JSON.parse(line)).toEqual({
    level: 'info',
    time: expect.stringMatching(/Z$/) as string,
    requestId: 'r1',
    msg: 'request',
  })
})

test('entries below the level are not written', () => {
  expect(written({ level: 'warn' }, (log) => log.info({}, 'quiet'))).toBe('')
})

test('the pretty format prints a request in one readable line', () => {
  const facts = { method: 'GET', target: '/api/v1alpha1/roles', status: 403, ms: 0.4, user: 'ann', reason: 'Forbidden' }
  expect(written({ pretty: true }, (log) => log.info(facts, 'request'))).toMatch(
    /^\d\d:\d\d:\d\d 403 ann GET \/api\/v1alpha1\/roles 0.4 ms Forbidden\n$/,
  )
})

test('the pretty format prints the stack of an error, and escapes newlines in values', () => {
  const text = written({ pretty: true }, (log) => log.error({ err: new Error('boom'), name: 'a\nb' }, 'failed'))
  expect(text).toMatch(/^\d\d:\d\d:\d\d error failed name=/)
  expect(text).toContain('Error: boom')
  expect(text).not.toContain('a\nb')
})
