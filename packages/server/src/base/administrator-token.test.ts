import { describe, expect, test } from 'vitest'
import { administratorToken } from './administrator-token.ts'

const token = 'a-token-of-32-characters-or-more'
const inFile = (text: string) => () => text
const noFile = () => {
  throw new Error('no file is read')
}

test('a given token is taken as it is, from the configuration or a file', () => {
  expect(administratorToken({ adminToken: token }, noFile)).toMatchObject({ value: token, madeNow: false })
  expect(administratorToken({ adminTokenFile: 'f' }, inFile(`${token}\n`))).toEqual({
    value: token,
    madeNow: false,
    inShell: '$(cat f)',
  })
})

test('without one a token is made that nobody can guess', () => {
  const first = administratorToken({}, noFile)
  expect(first).toMatchObject({ madeNow: true, value: expect.stringMatching(/^pgl_[\w-]{43}$/) as string })
  expect(administratorToken({}, noFile).value).not.toBe(first.value)
})

describe('refused is', () => {
  const cases = [
    ['a short token', { adminToken: 'x' }, noFile, 'bootstrap.adminToken has 1 characters; at least 32'],
    ['a short token in a file', { adminTokenFile: 'f' }, inFile('x\n'), 'the token in f has 1 characters'],
    ['an empty file', { adminTokenFile: 'f' }, inFile(''), 'the token in f has 0 characters'],
    ['a token that no header can carry', { adminToken: `${token} ${token}` }, noFile, 'no space'],
    ['both at once', { adminToken: token, adminTokenFile: 'f' }, inFile(token), 'keep one of them'],
  ] as const
  for (const [what, settings, readFile, message] of cases) {
    test(what, () => expect(() => administratorToken(settings, readFile)).toThrow(message))
  }
})
