import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitRows } from './split-rows.ts'

const message = fc.tuple(fc.constantFrom('D', 'D', 'C', 'Z'), fc.uint8Array({ minLength: 2, maxLength: 40 }))

test('rows and other messages arrive whole and in order, however they are cut', () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 12 }),
      fc.array(fc.nat(200), { maxLength: 12 }),
      fc.boolean(),
      (messages, cuts, taken) => {
        const all = messages.map(([letter, body]) => {
          const head = Buffer.alloc(5, letter)
          head.writeUInt32BE(4 + body.length, 1)
          return Buffer.concat([head, body])
        })
        const seen: string[] = []
        const take = (bytes: Buffer, start: number) => {
          const end = start - 6 + bytes.readUInt32BE(start - 6)
          seen.push(`row ${bytes.toString('hex', start - 7, end)}`)
        }
        const split = splitRows({
          taker: () => (taken ? take : undefined),
          pass: (messagesOf) => {
            for (let at = 0; at < messagesOf.length;) {
              const end = at + 1 + messagesOf.readUInt32BE(at + 1)
              seen.push(`other ${messagesOf.toString('hex', at, end)}`)
              at = end
            }
          },
        })
        const bytes = Buffer.concat(all)
        const borders = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].toSorted(
          (a, b) => a - b,
        )
        for (const [at, border] of borders.entries()) {
          const piece = bytes.subarray(border, borders[at + 1] ?? bytes.length)
          if (piece.length > 0) split(piece)
        }
        expect(seen).toEqual(
          messages.map(([letter], at) => `${letter === 'D' && taken ? 'row' : 'other'} ${all[at]?.toString('hex')}`),
        )
      },
    ),
  )
})
