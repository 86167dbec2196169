import { describe, expect, test } from 'vitest'
import { cronFault } from './cron-fault.ts'

describe('a cron expression', () => {
  for (const cron of [
    '* * * * *',
    '0 3 * * *',
    '0,30 8-18/2 1 12 1-5',
    '*/5 * * * 0',
    '59 23 31 12 7',
    ' 0  3 * * * ',
  ]) {
    test(`"${cron}" is accepted`, () => expect(cronFault(cron)).toBeUndefined())
  }

  const wrong: readonly (readonly [cron: string, fault: string])[] = [
    ['0 3 * *', 'has 4 fields'],
    ['', 'has 1 fields'],
    ['60 * * * *', 'the minute in'],
    ['* 24 * * *', 'the hour in'],
    ['* * 0 * *', 'the day of the month in'],
    ['* * * 13 *', 'the month in'],
    ['* * * * 8', 'the day of the week in'],
    ['5-1 * * * *', 'the minute in'],
    ['*/0 * * * *', 'the minute in'],
    ['1,,2 * * * *', 'the minute in'],
    ['@daily * * * *', 'the minute in'],
    ['* * * jan *', 'the month in'],
  ]
  for (const [cron, fault] of wrong) test(`"${cron}" is rejected`, () => expect(cronFault(cron)).toContain(fault))
})
