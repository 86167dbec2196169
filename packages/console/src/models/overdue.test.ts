import { expect, it } from 'vitest'
import { deadlineOf } from './overdue.ts'
import type { Schema } from './schema.ts'

const whole: Schema = {
  properties: {
    spec: {
      type: 'object',
      properties: {
        state: { enum: ['open', 'shipped', 'done'], 'x-display': { tones: { open: 'blue', shipped: 'green' } } },
        due: { type: 'string', format: 'date-time' },
        neededBy: { type: 'string', format: 'date' },
        start: { type: 'string', format: 'date' },
      },
    },
  },
}
const now = new Date('2026-11-24T12:00:00').getTime()

it.each([
  ['a deadline in the past', { due: '2026-11-23T10:00:00Z' }, 'spec.due', true],
  ['a deadline in the future', { due: '2026-11-26T10:00:00Z' }, 'spec.due', false],
  ['a day that has passed', { neededBy: '2026-11-23' }, 'spec.neededBy', true],
  ['today', { neededBy: '2026-11-24' }, 'spec.neededBy', false],
  ['a day that is no deadline', { start: '2026-11-23' }, 'spec.start', false],
  ['an open object', { neededBy: '2026-11-23', state: 'open' }, 'spec.neededBy', true],
  ['a finished object, by its name', { neededBy: '2026-11-23', state: 'done' }, 'spec.neededBy', false],
  ['a finished object, by its tone', { neededBy: '2026-11-23', state: 'shipped' }, 'spec.neededBy', false],
  ['no value', {}, 'spec.due', false],
])('%s', (_, spec, path, expected) => {
  expect((deadlineOf({ spec }, path, whole) ?? Infinity) < now).toBe(expected)
})
