import { ApiError, type FieldError } from '@pergola/client'
import { afterEach, expect, it } from 'vitest'
import { en } from '../words/en.ts'
import { language, words } from '../words/words.ts'
import { zh } from '../words/zh.ts'
import { failureWords } from './failure-words.ts'
import type { Schema } from './schema.ts'

const label = { en: 'State', zh: '状态' }
const talks = { type: 'array', items: { type: 'object', properties: { title: { type: 'string' } } } }
const schema: Schema = {
  properties: {
    spec: { type: 'object', properties: { state: { type: 'string', 'x-display': { label } }, talks } },
  },
}
const invalid = (...errors: readonly Partial<FieldError>[]) =>
  new ApiError('Invalid', 'the loan is not valid', { errors: errors as readonly FieldError[] })
const stays = invalid({ field: 'spec.state', rule: 'check', message: 'a reference book is never lent' })
const taken = (index: string) =>
  new ApiError('DuplicateIndexValue', 'loan "b": the value is taken', { params: { index, holder: 'a', value: '"x"' } })

afterEach(() => {
  words.value = en
  language.value = 'en'
})

it.each([
  [
    'the sentence of a plugin at its field',
    stays,
    ['State: A reference book is never lent.'],
    ['状态：A reference book is never lent.'],
  ],
  [
    'a rule at a field of an item',
    invalid({ field: 'spec.talks[0].title', rule: 'required', message: 'is required' }),
    ['Title: Required.'],
    ['Title：必填。'],
  ],
  [
    'the sentence of a plugin about the object',
    invalid({ field: 'spec', rule: 'check', message: 'it is closed' }),
    ['It is closed.'],
    ['It is closed.'],
  ],
  ['a duplicate value of a field', taken('spec.state'), ['State is used by “a”.'], ['状态已被“a”占用。']],
  ['a duplicate value that the plugin computes', taken('once'), ['This would be a duplicate of “a”.'], ['与“a”重复。']],
  ['no field', new Error('gone'), ['gone'], ['gone']],
])('%s', (_, error, english, chinese) => {
  expect(failureWords(error, schema)).toEqual(english)
  words.value = zh
  language.value = 'zh'
  expect(failureWords(error, schema)).toEqual(chinese)
})
