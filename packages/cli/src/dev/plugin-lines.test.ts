import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPluginLines } from './plugin-lines.ts'

function plugin() {
  const said: string[] = []
  let taken = 0
  const lines = createPluginLines({
    folder: '/home/ann/todo',
    say: (some) => said.push(...some),
    onPortTaken: () => taken++,
  })
  return { lines, said, taken: () => taken }
}

test('output of a plugin is shown as it arrives, with paths relative to the plugin', () => {
  const { lines, said } = plugin()
  lines.take('hello')
  lines.take('    at file:///home/ann/todo/src/plugin.ts:3:1')
  expect(said).toEqual(['hello', '    at src/plugin.ts:3:1'])
})

test('debugger messages of Node.js, and the exit that the host logs too, are not shown', () => {
  const { lines, said, taken } = plugin()
  lines.take('Debugger listening on ws://127.0.0.1:9229/x')
  lines.take('For help, see: https://nodejs.org/en/docs/inspector')
  lines.take('Debugger attached.')
  lines.take('pergola: it ended with code 3; it is started again in 1 s')
  expect(taken()).toBe(0)
  lines.take('Starting inspector on 127.0.0.1:9229 failed: address already in use')
  expect(said).toEqual([])
  expect(taken()).toBe(1)
})

test('an error is shown in the line of its request, whichever arrives first', async () => {
  const { lines, said } = plugin()
  const early = lines.failureOf('r-1')
  lines.take('GET /a failed (request r-1): Error: one')
  lines.take('    at file:///home/ann/todo/src/plugin.ts:3:1')
  lines.take('something else')
  expect(await early).toEqual(['Error: one', '    at src/plugin.ts:3:1'])
  lines.take('GET /a failed (request r-2): Error: two')
  expect(await lines.failureOf('r-2')).toEqual(['Error: two'])
  expect(await lines.failureOf('r-3')).toBeUndefined()
  expect(said).toEqual(['something else'])
})

test('an error without a request line is shown on its own', async () => {
  const { lines, said } = plugin()
  lines.take('GET /a failed (request r-1): Error: one')
  await expect.poll(() => said).toEqual(['Error: one'])
  await sleep(10)
  expect(said).toHaveLength(1)
})

test('held output is shown on release, except lines that the start failure already shows', () => {
  const { lines, said } = plugin()
  lines.hold()
  lines.take('of the one that answers')
  lines.take('Error: not like this')
  expect(said).toEqual([])
  lines.release('it ended with code 1:\n  Error: not like this')
  lines.take('after')
  expect(said).toEqual(['of the one that answers', 'after'])
})
