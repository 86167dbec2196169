import { expect, test } from 'vitest'
import { hueOfName, hueOfValue } from './hue.ts'

test('a name always has the same hue, and never the red of a failure', () => {
  expect(hueOfName('ann')).toBe(hueOfName('ann'))
  const hues = Array.from({ length: 200 }, (_, at) => hueOfName(`user-${at}`))
  expect(new Set(hues).size).toBeGreaterThan(4)
  expect(hues).not.toContain('red')
})

test('a value has the tone of the schema, else the hue of its position, else grey', () => {
  const values = ['draft', 'open', 'done']
  expect(hueOfValue('done', values, { done: 'green' })).toBe('green')
  expect(hueOfValue('open', values)).toBe('blue')
  expect(hueOfValue('gone', values)).toBe('grey')
})
