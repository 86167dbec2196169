import { expect, it } from 'vitest'
import { h, type VNode } from 'vue'
import { hotPages } from './hot-pages.ts'

const component = (text: string) => {
  const render = (): VNode | null => h('p', text)
  return { component: { render }, render, template: text }
}
const module = (state: string, text: string) => ({ state, hot: new Map([['a', component(text)]]) })
interface Rendered {
  readonly render: (...given: readonly unknown[]) => VNode
}
const rendered = (of: ReturnType<typeof module>, cache: unknown[] = []) => {
  const [{ component: first }] = [...of.hot.values()] as unknown as [{ readonly component: Rendered }]
  return first.render(undefined, cache)
}

it('shows the template of the next module in the component of the first', () => {
  const first = module('same', 'one')
  const cache: unknown[] = []
  const pages = hotPages(first)
  const before = rendered(first, cache)
  cache.push('of the template before')
  expect(pages.take(module('same', 'two'))).toBe(true)
  const after = rendered(first, cache)
  expect([before.children, after.children, cache]).toEqual(['one', 'two', []])
  expect(after.key).not.toBe(before.key)
})

it('keeps what has the same template', () => {
  const first = module('same', 'one')
  const pages = hotPages(first)
  const cache: unknown[] = ['kept']
  const before = rendered(first, cache)
  expect(pages.take(module('same', 'one'))).toBe(true)
  expect([rendered(first, cache).key, cache]).toEqual([before.key, ['kept']])
})

it('shows the first template again: the browser returns the same module for the same address', () => {
  const first = module('same', 'one')
  const pages = hotPages(first)
  pages.take(module('same', 'two'))
  expect(pages.take(first)).toBe(true)
  expect(rendered(first).children).toBe('one')
  pages.take(module('same', 'two'))
  hotPages(first)
  expect(rendered(first).children).toBe('one')
})

it.each([
  ['another script', module('same', 'one'), module('other', 'one')],
  ['modules that are no hot ones', {}, {}],
])('takes nothing from %s', (_, first, next) => {
  expect(hotPages(first).take(next)).toBe(false)
})
