import { expect, it } from 'vitest'
import { createNames } from './create-names.ts'

it('asks for names together, in requests of limited size, and keeps names without a title', async () => {
  const asked: (readonly string[])[] = []
  const nameOf = createNames(2, async (names) => {
    asked.push(names)
    return new Map([['ann', 'Ann Berger']])
  })
  expect(await Promise.all(['ann', 'bob', 'carol'].map(nameOf))).toEqual(['Ann Berger', 'bob', 'carol'])
  expect(asked).toEqual([['ann', 'bob'], ['carol']])
})

it('a failed request fails its own names only', async () => {
  const nameOf = createNames(1, async ([name]) => {
    if (name === 'bob') throw new Error('refused')
    return new Map()
  })
  const [ann, bob] = await Promise.allSettled([nameOf('ann'), nameOf('bob')])
  expect([ann.status, bob.status]).toEqual(['fulfilled', 'rejected'])
})
