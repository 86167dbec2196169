import { expect, test } from 'vitest'
import { circleThrough } from './dependency-circle.ts'

const circleIn = (name: string, all: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  circleThrough(name, all[name], async (other) => (other === name ? undefined : all[other]))

test('the shortest cycle through a plugin is found', async () => {
  const all = { a: { b: '*', c: '*' }, b: { d: '*' }, c: { a: '*' }, d: { a: '*' } }
  expect(await circleIn('a', all)).toEqual(['a', 'c', 'a'])
})

test('cycles of other plugins and missing plugins do not count', async () => {
  expect(await circleIn('a', { a: { b: '*', c: '*' }, b: { d: '*' }, c: { d: '*' }, d: { b: '*' } })).toBeUndefined()
  expect(await circleIn('a', { a: { gone: '*' } })).toBeUndefined()
  expect(await circleIn('a', {})).toBeUndefined()
})
