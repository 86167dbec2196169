import { parseSelector } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { alternativeOf, fieldSelectorOf, sortOf } from './selection.ts'

const indexed = ['spec.state', 'spec.due', 'words']

describe('--where', () => {
  test.each([
    ['spec.state=open', 'spec.state=open'],
    ['state=open', 'spec.state=open'],
    ['words=milk', 'words=milk'],
    ['metadata.name=milk', 'metadata.name=milk'],
    ['state!=open', 'spec.state!=open'],
    ['due>=2030-01-01', 'spec.due>=2030-01-01'],
    ['due<2030-01-01', 'spec.due<2030-01-01'],
    ['state^=op', 'spec.state^=op'],
    ['state=(open,done)', 'spec.state=(open,done)'],
    ['state!=(open,done)', 'spec.state!=(open,done)'],
    ['due', 'spec.due'],
    ['!due', '!spec.due'],
    ['state=', 'spec.state='],
  ])('%s becomes the selector %s', (word, selector) => expect(fieldSelectorOf([word], indexed)).toBe(selector))

  test('a value with special characters is escaped and stays one term', () => {
    const selector = fieldSelectorOf(['state=a, b=(c) ! \\ d'], indexed) ?? ''
    expect(parseSelector('fieldSelector', selector)).toMatchObject([
      { key: 'spec.state', op: '=', value: 'a, b=(c) ! \\ d' },
    ])
  })

  test('several conditions are combined with AND; without conditions there is no selector', () => {
    expect(fieldSelectorOf(['state=open', 'words=milk'], indexed)).toBe('spec.state=open,words=milk')
    expect(fieldSelectorOf([], indexed)).toBeUndefined()
  })

  test.each([
    ['state==open', /"==" in "state==open" is not known; write a single "="/],
    ['state!==open', /"!==" in/],
    ['state = open', /write "state=open"/],
    ['state= open', /write "state=open"/],
  ])('"%s" is rejected with what to write', (word, message) =>
    expect(() => fieldSelectorOf([word], indexed)).toThrow(message),
  )

  test.each(['', '=open', '!state=open'])('"%s" is rejected', (word) =>
    expect(() => fieldSelectorOf([word], indexed)).toThrow(/--where takes field=value/),
  )
})

test('--any-of takes several terms, fields without "spec.", and escaped values', () => {
  expect(alternativeOf(String.raw`state=(open,a\,b), words=milk,!due`, indexed)).toBe(
    String.raw`spec.state=(open,a\,b),words=milk,!spec.due`,
  )
  expect(() => alternativeOf('state = open', indexed)).toThrow(/anyOf, character 6: remove the space/)
})

test.each([
  ['spec.due', 'spec.due'],
  ['due', 'spec.due'],
  ['-due', 'spec.due,desc'],
  ['+spec.due', 'spec.due,asc'],
  ['-metadata.name', 'metadata.name,desc'],
  ['due,desc', 'spec.due,desc'],
  ['metadata.name,asc', 'metadata.name,asc'],
])('--sort %s becomes %s', (word, sort) => expect(sortOf([word], indexed)).toEqual([sort]))

test('--sort with two directions is rejected with what to write', () =>
  expect(() => sortOf(['-due,asc'], indexed)).toThrow(/write "due,asc"/))
