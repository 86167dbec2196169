import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { traceHeaders, traceIn } from './trace-parent.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${trace}-00f067aa0ba902b7-01`

test('the trace of the client goes on', () => {
  expect(traceIn({ traceparent })).toEqual({ traceId: trace, spanId: '00f067aa0ba902b7' })
  expect(traceHeaders({ traceparent, tracestate: 'a=b' }, '')).toEqual({ traceparent, tracestate: 'a=b' })
})

test.each([
  undefined,
  '',
  'nonsense',
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
  `${traceparent}\r\nx: y`,
])('without one that can be used, a trace begins with the request: %j', (header) => {
  const headers = { ...(header !== undefined && { traceparent: header }), tracestate: 'a=b' }
  const id = randomUUID()
  expect(traceIn(headers)).toBeUndefined()
  expect(traceHeaders(headers, id)).toEqual({
    traceparent: expect.stringMatching(new RegExp(`^00-${id.replaceAll('-', '')}-[\\da-f]{16}-00$`)),
  })
})
