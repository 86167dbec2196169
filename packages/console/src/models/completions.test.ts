import { expect, it } from 'vitest'
import { completionsAt } from './completions.ts'
import type { Schema } from './schema.ts'

const schema: Schema = {
  properties: {
    spec: {
      properties: {
        state: { type: 'string', enum: ['open', 'done'], description: 'How far it is.\nMore.' },
        isPaid: { type: 'boolean' },
        items: { type: 'array', items: { properties: { price: { type: 'number' } } } },
      },
    },
  },
}
const texts = (above: readonly string[], before: string) => completionsAt(schema, above, before).map(({ text }) => text)

it.each([
  ['keys of the document', [], '', ['spec:']],
  ['keys of the enclosing object', ['# a comment', 'spec:'], '  ', ['state:', 'isPaid:', 'items:']],
  ['values of an enum', ['spec:'], '  state: ', ['open', 'done']],
  ['yes and no', ['spec:'], '  isPaid: t', ['true', 'false']],
  ['keys of an item of a list', ['spec:', '  items:'], '    - ', ['price:']],
  ['keys beside the first key of an item', ['spec:', '  items:', '    - name: desk'], '      ', ['price:']],
  ['nothing for an unknown key', ['spec:', '  other:'], '    ', []],
])('offers %s', (_, above, before, expected) => {
  expect(texts(above, before)).toEqual(expected)
})

it('says what a key is in one line', () => {
  expect(completionsAt(schema, ['spec:'], '  ')[0]?.detail).toBe('string · How far it is.')
})
