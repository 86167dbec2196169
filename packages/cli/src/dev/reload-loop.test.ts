import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createReloadLoop, type Saved } from './reload-loop.ts'

/** Records the reloads and completes each when the test says so. */
function slowLoop() {
  const asked: (readonly string[])[] = []
  const ends: (() => void)[] = []
  const loop = createReloadLoop(({ files }: Saved) => {
    asked.push(files)
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.push(resolve)
    return promise
  })
  return { loop, asked, end: () => ends.shift()?.() }
}

test('files saved together cause one reload', async () => {
  const { loop, asked } = slowLoop()
  loop.start()
  for (const file of ['b.ts', 'a.ts', 'b.ts']) loop.saved([file])
  await expect.poll(() => asked).toEqual([['a.ts', 'b.ts']])
  await sleep(100)
  expect(asked).toHaveLength(1)
})

test('saves during a reload cause one more reload after it', async () => {
  const { loop, asked, end } = slowLoop()
  loop.start()
  loop.saved(['a.ts'])
  await expect.poll(() => asked).toHaveLength(1)
  loop.saved(['b.ts'])
  loop.saved(['c.ts'])
  await sleep(100)
  expect(asked).toHaveLength(1)
  end()
  await expect.poll(() => asked).toEqual([['a.ts'], ['b.ts', 'c.ts']])
  end()
  await sleep(100)
  expect(asked).toHaveLength(2)
})

test('continuous saves do not delay a reload forever', async () => {
  const { loop, asked } = slowLoop()
  loop.start()
  for (let saves = 0; asked.length === 0 && saves < 5_000; saves++) {
    loop.saved(['a.ts'])
    await sleep(10)
  }
  expect(asked).toEqual([['a.ts']])
})

test('no reload begins before the start; earlier saves are reloaded then', async () => {
  const { loop, asked } = slowLoop()
  loop.saved(['a.ts'])
  await sleep(100)
  expect(asked).toEqual([])
  loop.start()
  expect(asked).toEqual([['a.ts']])
})

test('stopping waits for the running reload and starts no other', async () => {
  const { loop, asked, end } = slowLoop()
  loop.start()
  loop.saved(['a.ts'])
  await expect.poll(() => asked).toHaveLength(1)
  loop.saved(['b.ts'])
  let isOver = false
  const stopping = loop.stop().then(() => (isOver = true))
  await sleep(50)
  expect(isOver).toBe(false)
  end()
  await stopping
  await sleep(100)
  expect(asked).toHaveLength(1)
})
