import { expect, test } from 'vitest'
import { createLineBuffer } from './line-buffer.ts'

test('lines are buffered and written together, in order', async () => {
  const written: string[] = []
  const { write } = createLineBuffer((text) => written.push(text))
  write('a\n')
  write('b\n')
  expect(written).toEqual([])
  await expect.poll(() => written).toEqual(['a\nb\n'])
  write('c\n')
  await expect.poll(() => written).toEqual(['a\nb\n', 'c\n'])
})

test('a full buffer is written at once; flush writes the rest, nothing twice', () => {
  const written: string[] = []
  const { write, flush } = createLineBuffer((text) => written.push(text))
  const line = `${'x'.repeat(999)}\n`
  for (let at = 0; at < 20; at++) write(line)
  expect(written.join('').length).toBeGreaterThanOrEqual(16_384)
  flush()
  flush()
  expect(written.join('')).toBe(line.repeat(20))
})
