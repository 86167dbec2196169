import { expect, test } from 'vitest'
import { createVersionStates } from './version-states.ts'

test('the state of an earlier version is dropped when another version starts', () => {
  const states = createVersionStates()
  states.tell('todo', 'one', { phase: 'Started' })
  states.tell('todo', 'two', { phase: 'NotStarted' })
  expect(states.of('one')).toEqual({ phase: 'Started' })
  states.tell('todo', 'two', { phase: 'Started' })
  expect(states.of('one')).toBeUndefined()
  expect(states.of('two')).toEqual({ phase: 'Started' })
})

test('each plugin has its own states', () => {
  const states = createVersionStates()
  states.tell('todo', 'one', { phase: 'Started' })
  states.tell('notes', 'two', { phase: 'Started' })
  expect(states.of('one')).toEqual({ phase: 'Started' })
})

test('a waiter is notified of the next state', async () => {
  const states = createVersionStates()
  const next = states.next()
  states.tell('todo', 'one', { phase: 'Failed', message: 'no' })
  await next
  expect(states.of('one')).toEqual({ phase: 'Failed', message: 'no' })
})
