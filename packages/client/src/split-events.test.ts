import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitEvents } from './split-events.ts'

test('events are complete, wherever the text is split', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !/[\r\n]/.test(value))
  const event = fc.record({ id: fc.boolean(), end: fc.constantFrom('\n', '\r\n'), data: text })
  const property = fc.property(fc.array(event), fc.infiniteStream(fc.nat(7)), (events, sizes) => {
    const whole = events.map(({ id, end, data }) => `${id ? `id: 1.2${end}` : ''}data: ${data}${end}${end}`).join('')
    const split = splitEvents()
    const read: string[] = []
    for (let at = 0; at < whole.length;) {
      const size = 1 + Number(sizes.next().value)
      read.push(...split(whole.slice(at, at + size)))
      at += size
    }
    expect(read).toEqual(events.map(({ data }) => data))
  })
  fc.assert(property)
})

test('comments and other fields are ignored; several data lines are one event', () => {
  expect(splitEvents()(': hello\nretry: 5\n\ndata:{"a":\ndata: 1}\n\ndata: unfinished\n')).toEqual(['{"a":\n1}'])
})
