import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameBorders } from './frame-borders.ts'

/** A frame as a server sends it or, masked, as a client sends it. */
function frameOf(opcode: number, length: number, isMasked: boolean): Buffer {
  const mask = isMasked ? 0x80 : 0
  const head =
    length < 126
      ? Buffer.from([0x80 | opcode, mask | length])
      : length < 65_536
        ? Buffer.from([0x80 | opcode, mask | 126, length >> 8, length & 0xff])
        : longHead(opcode, mask, length)
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0, 0x88), Buffer.alloc(length, 0x88)])
}

function longHead(opcode: number, mask: number, length: number): Buffer {
  const head = Buffer.alloc(10)
  head[0] = 0x80 | opcode
  head[1] = mask | 127
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}

const frame = fc.record({
  opcode: fc.constantFrom(0, 1, 2, 9, 10),
  length: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.constantFrom(125, 126, 127, 65_535, 65_536, 70_000)),
  isMasked: fc.boolean(),
})

test('a border is at the end of a frame, however the bytes are split', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 6 }), fc.array(fc.integer({ min: 1, max: 100_000 })), (frames, cuts) => {
      const bytes = frames.map(({ opcode, length, isMasked }) => frameOf(opcode, length, isMasked))
      const whole = Buffer.concat(bytes)
      const ends = new Set(bytes.reduce<number[]>((all, one) => [...all, (all.at(-1) ?? 0) + one.length], [0]))
      const borders = new FrameBorders()
      let at = 0
      for (const size of [...cuts, whole.length]) {
        borders.take(whole.subarray(at, at + size))
        at = Math.min(whole.length, at + size)
        expect(borders.isAtBorder).toBe(ends.has(at))
      }
      expect(borders.hasClosed).toBe(false)
    }),
  )
})

test('a close frame is detected, and no other', () => {
  const borders = new FrameBorders()
  borders.take(frameOf(1, 300, false))
  expect(borders.hasClosed).toBe(false)
  borders.take(frameOf(8, 2, false))
  expect([borders.hasClosed, borders.isAtBorder]).toEqual([true, true])
})
