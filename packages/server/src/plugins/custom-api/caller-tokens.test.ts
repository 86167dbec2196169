import { ApiError } from '@pergola/api'
import { expect, test } from 'vitest'
import type { Caller } from '../../call/call.ts'
import { createCallerTokens } from './caller-tokens.ts'

const ann: Caller = { kind: 'user', name: 'ann', uid: '1', via: 'cookie' }

function tokens() {
  let now = 0
  const made = createCallerTokens({ now: () => now })
  return {
    make: (caller: Caller, plugin: string, authenticate = async () => caller) =>
      made.make({ caller, authenticate }, plugin),
    find: (token: string, plugin: string) => made.find(token, plugin),
    pass: (ms: number) => (now += ms),
  }
}

test('a token is valid for at least 60 s after it was issued, and for 90 s at most', async () => {
  const { make, find, pass } = tokens()
  const token = make(ann, 'todo')
  pass(29_999)
  // The same token is issued again; it must be valid for another minute.
  expect(make(ann, 'todo')).toBe(token)
  pass(59_999)
  expect(await find(token, 'todo')).toBe(ann)
  pass(2)
  expect(await find(token, 'todo')).toBeUndefined()
})

test('after 30 s another token is issued', () => {
  const { make, pass } = tokens()
  const token = make(ann, 'todo')
  pass(30_000)
  expect(make(ann, 'todo')).not.toBe(token)
})

test('a token is valid only for its plugin', async () => {
  const { make, find } = tokens()
  const token = make(ann, 'todo')
  const found = [find(token, 'todo'), find(token, 'other'), find('pgc_other', 'todo')]
  expect(await Promise.all(found)).toEqual([ann, undefined, undefined])
})

test('a token ends with its credential, and not when the credential cannot be looked up', async () => {
  const { make, find } = tokens()
  const token = make(ann, 'todo', () => Promise.reject(new ApiError('Unauthenticated', 'signed out')))
  expect(await find(token, 'todo')).toBeUndefined()
  const unknown = make({ ...ann, sessionId: 's2' }, 'todo', () => Promise.reject(new ApiError('Unavailable', 'down')))
  await expect(find(unknown, 'todo')).rejects.toThrow('down')
})

test('callers with different rights get different tokens', async () => {
  const { make, find } = tokens()
  const narrowed: Caller = { ...ann, via: 'token', narrowedTo: ['view'] }
  const anonymous: Caller = { kind: 'anonymous' }
  const made = [ann, narrowed, anonymous].map((caller) => make(caller, 'todo'))
  expect(new Set(made).size).toBe(3)
  expect(await Promise.all(made.map((token) => find(token, 'todo')))).toEqual([ann, narrowed, anonymous])
  expect(make(ann, 'other')).not.toBe(made[0])
})
