import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLineLog } from './line-log.ts'
import { followOutput } from './output.ts'

const chunkBytes = 64 * 1024

/** Follows these chunks; the clock stands still, so that the budget does not grow. */
function following(source: Iterable<Buffer | string>) {
  const stream = Readable.from(source, { objectMode: true, highWaterMark: 1 })
  const lines: string[] = []
  const output = followOutput(
    [stream],
    createLineLog((line) => lines.push(line)),
    () => 0,
  )
  return { stream, lines, output }
}

test('lines within the budget are logged, the others are dropped and counted', async () => {
  const chunks = Array.from({ length: 3 }, (_, at) => `line ${at}\n`.repeat(600))
  const { lines } = following(chunks.map((text) => Buffer.from(text)))
  const dropped = 'pergola: dropped 800 lines (5,600 bytes) in the last second'
  await expect.poll(() => lines.at(-1)).toBe(`${dropped}; a plugin may write 200 lines and 256 KiB a second`)
  expect(lines).toHaveLength(1_001)
  expect(lines.slice(0, -1)).toEqual([...Array<string>(600).fill('line 0'), ...Array<string>(400).fill('line 1')])
})

test('a stream over the budget is read once per pause, one chunk at a time', async () => {
  let read = 0
  let resumed = 0
  function* endless() {
    for (;;) yield Buffer.alloc(chunkBytes, '\n', (read++, 'utf8'))
  }
  const { stream, lines, output } = following(endless())
  stream.on('resume', () => resumed++)
  await expect.poll(() => lines.some((line) => line.startsWith('pergola: dropped'))).toBe(true)
  output[Symbol.dispose]()
  // Those in the stream's own buffer were read ahead.
  expect(read).toBeLessThanOrEqual(resumed + 3)
  expect(lines.filter((line) => line === '')).toHaveLength(1_000)
})

test('a line without end is cut, and dropped up to its end', async () => {
  const long = Buffer.alloc(chunkBytes, 'x')
  const { lines } = following([...Array<Buffer>(20).fill(long), Buffer.from('end\nnext\n')])
  await expect.poll(() => lines.at(-1)).toMatch(/^pergola: dropped 2 lines \(262,153 bytes\)/)
  expect(lines.slice(0, -1)).toEqual([`${'x'.repeat(4_096)}… (cut)`])
})

test('characters that arrive in two parts are put together', async () => {
  const bytes = Buffer.from('größer\n')
  const { lines } = following([bytes.subarray(0, 3), bytes.subarray(3)])
  await expect.poll(() => lines).toEqual(['größer'])
})
