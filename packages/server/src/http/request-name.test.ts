import { expect, test } from 'vitest'
import { createClientReader } from './client.ts'
import { requestName } from './request-name.ts'

const read = createClientReader(['10.0.0.1'])
const nameFrom = (peer: string, requestId?: string) => {
  const headers = requestId === undefined ? {} : { 'x-request-id': requestId }
  return requestName(read({ headers, socket: { remoteAddress: peer } as never }))
}
const uuid = '3F2504E0-4f89-41d3-9a0c-0305e82c3301'
const fresh = /^[\da-f-]{36}$/

test('the id of a trusted proxy is taken if it is a UUID, and else noted', () => {
  expect(nameFrom('10.0.0.1', uuid)).toEqual({ id: uuid.toLowerCase() })
  expect(nameFrom('10.0.0.1', 'Root=1-67891233')).toEqual({
    id: expect.stringMatching(fresh),
    proxyId: 'Root=1-67891233',
  })
  expect(nameFrom('10.0.0.1', 'x'.repeat(9_000)).proxyId).toHaveLength(200)
  expect(nameFrom('10.0.0.1', '')).toEqual({ id: expect.stringMatching(fresh) })
})

test('the id of anybody else is ignored', () => {
  expect(nameFrom('192.0.2.1', uuid)).toEqual({ id: expect.stringMatching(fresh) })
  expect(nameFrom('192.0.2.1', uuid).id).not.toBe(uuid.toLowerCase())
})
