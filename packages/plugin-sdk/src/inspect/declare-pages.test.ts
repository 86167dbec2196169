import { expect, test } from 'vitest'
import { definePlugin } from '../plugin.ts'
import type { PageTitles } from '../console-page.ts'
import { inspect } from './inspect.ts'

const withTitle = (title: string | PageTitles) => definePlugin({ name: 'board', pages: [{ path: '', title }] })

test('a page has one title, or one for each language of the console', () => {
  expect(inspect(withTitle('Board')).pages).toEqual([{ path: '', title: 'Board' }])
  expect(inspect(withTitle({ en: 'Board', zh: '看板' })).pages).toEqual([
    { path: '', title: 'Board', titles: { zh: '看板' } },
  ])
})

test.each([
  ['', 'needs a title of 1 to 100 characters'],
  [{ zh: '看板' }, 'needs a title of 1 to 100 characters'],
  [{ en: 'Board', de: 'Tafel' }, 'has a title in de; the console speaks en and zh'],
])('the title %j is refused', (title, words) => {
  expect(() => inspect(withTitle(title as string))).toThrow(words)
})
