import { expect, test } from 'vitest'
import { mostRecent, withPage, type RecentPage } from './recent-list.ts'

test('a page visited again comes first with its new title, and only the latest are kept', () => {
  const visited = Array.from({ length: mostRecent + 3 }, (_, at) => ({ path: `/${at}`, title: `page ${at}` }))
  const kept = visited.reduce<readonly RecentPage[]>(withPage, [])
  expect(kept).toHaveLength(mostRecent)
  expect(withPage(kept, { path: '/9', title: 'renamed' }).slice(0, 2)).toEqual([
    { path: '/9', title: 'renamed' },
    { path: `/${mostRecent + 2}`, title: `page ${mostRecent + 2}` },
  ])
  expect(withPage(kept, { path: '/9', title: 'renamed' })).toHaveLength(mostRecent)
})
