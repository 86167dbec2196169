import { ApiError, ConnectionError } from '@pergola/client'
import { afterEach, expect, it } from 'vitest'
import { en } from '../words/en.ts'
import { words } from '../words/words.ts'
import { zh } from '../words/zh.ts'
import { problemWords } from './problem-words.ts'

afterEach(() => {
  words.value = en
})

const missing = new ApiError('NotFound', 'there is no todo "milk"', {
  params: { kind: 'todo', name: 'milk' },
  requestId: 'r1',
})

it.each([
  ['the server in English', en, missing, 'The object or path does not exist', 'there is no todo "milk"'],
  ['the server in Chinese', zh, missing, '不存在', 'todo“milk”不存在。'],
  ['no values for a sentence', zh, new ApiError('AlreadyExists', 'it exists'), '已存在', 'it exists'],
  ['no answer', en, new ConnectionError('refused'), en.problem.unreachable, en.problem.unreachableHint],
  ['another error', en, new Error('oops'), en.problem.unexpected, 'oops'],
  ['no error at all', en, 'oops', en.problem.unexpected, 'oops'],
])('%s', (_, language, error, title, detail) => {
  words.value = language
  expect(problemWords(error)).toMatchObject({ title, detail })
})

it('names the request for an administrator', () => {
  expect(problemWords(missing)).toMatchObject({ reason: 'NotFound', requestId: 'r1' })
})
