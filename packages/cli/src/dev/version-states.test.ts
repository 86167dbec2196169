import { expect, test } from 'vitest'
import { createVersionStates } from './version-states.ts'

test('what a version was once says nothing of what it is, when another has come to answer', () => {
  const states = createVersionStates()
  states.tell('todo', 'one', { phase: 'Started' })
  states.tell('todo', 'two', { phase: 'NotStarted' })
  expect(states.of('one')).toEqual({ phase: 'Started' })
  states.tell('todo', 'two', { phase: 'Started' })
  expect(states.of('one')).toBeUndefined()
  expect(states.of('two')).toEqual({ phase: 'Started' })
})

test('other plugins have states of their own', () => {
  const states = createVersionStates()
  states.tell('todo', 'one', { phase: 'Started' })
  states.tell('notes', 'two', { phase: 'Started' })
  expect(states.of('one')).toEqual({ phase: 'Started' })
})

test('who waits hears of the next word', async () => {
  const states = createVersionStates()
  const next = states.next()
  states.tell('todo', 'one', { phase: 'Failed', message: 'no' })
  await next
  expect(states.of('one')).toEqual({ phase: 'Failed', message: 'no' })
})
