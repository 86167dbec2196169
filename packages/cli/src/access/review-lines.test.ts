import { expect, test } from 'vitest'
import { reviewLines } from './review-lines.ts'

const plain = (_style: string, text: string) => text

test('a denial shows the roles held, the nearest role, the role that would allow it, and the grant command', () => {
  const text =
    'boss may not delete todos in todo.example.com; nearest is todo-view, which allows get, list, watch but not delete; role template todo-manage would allow it'
  const held = [{ name: 'anonymous' }, { name: 'authenticated' }, { name: 'todo-view', binding: 'boss-todo-view' }]
  const explanation = { allowed: false, text, templates: ['todo-manage'] }
  expect(reviewLines({ explanation, held, verb: 'delete' }, plain)).toEqual([
    '  no  boss may not delete todos in todo.example.com',
    '      holds      authenticated; todo-view (rolebinding boss-todo-view)',
    '      nearest    todo-view allows get, list, watch but not delete; todo-manage allows delete',
    '      next       pergola grant boss todo-manage',
  ])
})

test('a denial without a near role says so and omits missing details', () => {
  const text =
    'boss may not list things in a.example; no rule of authenticated comes near; no role template would allow it'
  const explanation = { allowed: false, text, templates: [] }
  expect(reviewLines({ explanation, held: undefined, verb: 'list' }, plain)).toEqual([
    '  no  boss may not list things in a.example',
    '      nearest    no role comes near',
  ])
})

test('an allowed request shows the reason', () => {
  const text = 'ann may get /apis: holds authenticated; its rule allows get on /apis'
  expect(
    reviewLines({ explanation: { allowed: true, text }, held: [{ name: 'authenticated' }], verb: 'get' }, plain),
  ).toEqual([
    '  yes  ann may get /apis',
    '      because    holds authenticated; its rule allows get on /apis',
    '      holds      authenticated',
  ])
})
