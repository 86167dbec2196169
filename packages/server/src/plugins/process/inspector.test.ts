import { expect, test } from 'vitest'
import { createInspector } from './inspector.ts'
import type { PluginExit } from './running.ts'

function inspected() {
  const opened: number[] = []
  const inspector = createInspector(9229, (pid) => opened.push(pid))
  const begin = (pid: number) => {
    const { promise: exited, resolve } = Promise.withResolvers<PluginExit>()
    inspector.attend({ pid, exited })
    return async () => {
      resolve({ how: 'ended', code: 0, signal: null, lines: [] })
      await exited
    }
  }
  return { opened, begin, words: inspector.words }
}

test('no process opens the port by itself', () => {
  expect(inspected().words).toEqual(['--inspect-port=127.0.0.1:9229', '--enable-source-maps'])
})

test('the port passes to the newest process when its owner exits', async () => {
  const { opened, begin } = inspected()
  const endFirst = begin(1)
  begin(2)
  expect(opened).toEqual([1])
  await endFirst()
  expect(opened).toEqual([1, 2])
})

test('a version that is only tried does not take the port', async () => {
  const { opened, begin } = inspected()
  const endFirst = begin(1)
  const endTried = begin(2)
  await endTried()
  begin(3)
  await endFirst()
  expect(opened).toEqual([1, 3])
})

test('after all processes have exited, the next one gets the port at once', async () => {
  const { opened, begin } = inspected()
  await begin(1)()
  begin(2)
  expect(opened).toEqual([1, 2])
})
