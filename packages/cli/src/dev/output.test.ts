import { expect, test } from 'vitest'
import { createOutput } from './output.ts'

function printed(colours: boolean) {
  let text = ''
  const output = createOutput({ write: (some) => (text += some), colours, now: () => new Date(2030, 0, 1, 10, 1, 31) })
  return { output, text: () => text }
}

test('lines are aligned after the time and the name', () => {
  const { output, text } = printed(false)
  output.say('todo', ['one', 'two\nthree'], 'bad')
  output.say('db', ['four'])
  expect(text()).toBe('10:01:31 todo  one\n               two\n               three\n10:01:31 db    four\n')
})

test('colours are used on terminals only', () => {
  const { output, text } = printed(true)
  output.say('todo', ['one'], 'bad')
  expect(text()).toContain('\u001B[31mone')
})

test('escape sequences are removed and other control characters replaced', () => {
  const { output, text } = printed(false)
  output.say('todo', ['\u001B[2Jone\rtwo\u0007'])
  expect(text()).toBe('10:01:31 todo  one?two?\n')
})
