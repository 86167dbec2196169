import { describe, expect, test } from 'vitest'
import { durationMs } from './duration.ts'

describe('a duration', () => {
  const cases: readonly (readonly [text: string, ms: number | undefined])[] = [
    ['90s', 90_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1.5h', 5_400_000],
    ['0s', undefined],
    ['-1s', undefined],
    ['5', undefined],
    ['5 m', undefined],
    ['5ms', undefined],
    ['1e3s', undefined],
    ['', undefined],
  ]
  for (const [text, ms] of cases) test(`"${text}" is ${ms}`, () => expect(durationMs(text)).toBe(ms))
})
