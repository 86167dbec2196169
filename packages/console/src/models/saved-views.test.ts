import { expect, it } from 'vitest'
import { isSameQuery, mostViews, renamed, viewsIn, withoutView, withView, type SavedView } from './saved-views.ts'

const view = (name: string, where = 'a=b'): SavedView => ({ name, query: { where } })

it('a view of a known name is replaced at its place, others are added at the end', () => {
  const views = withView([view('one'), view('two')], view('one', 'c=d'))
  expect(views).toEqual([view('one', 'c=d'), view('two')])
  expect(withView(views, view('three')).map(({ name }) => name)).toEqual(['one', 'two', 'three'])
})

it('a renamed view keeps its place', () => {
  expect(renamed([view('one'), view('two')], 'one', 'first')).toEqual([view('first'), view('two')])
  expect(withoutView([view('one'), view('two')], 'one')).toEqual([view('two')])
})

it('no more views than the bound are kept', () => {
  const full = Array.from({ length: mostViews }, (_, at) => view(String(at)))
  expect(withView(full, view('more'))).toEqual(full)
})

it.each([undefined, null, 'x', {}, [1, null, { name: '' }, { name: 'a' }, { name: 'a', query: { where: 1 } }]])(
  'ignores %j',
  (kept) => {
    expect(viewsIn(kept)).toEqual([])
  },
)

it('compares queries without regard to the order of their parts', () => {
  expect(isSameQuery({ where: 'a', sort: ['b', 'c'] }, { sort: ['b', 'c'], where: 'a' })).toBe(true)
  expect(isSameQuery({ sort: ['b', 'c'] }, { sort: ['c', 'b'] })).toBe(false)
})
