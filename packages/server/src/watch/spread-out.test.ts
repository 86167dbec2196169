import { expect, test, vi } from 'vitest'
import { spreadOut } from './spread-out.ts'

test('many streams end one after the other, within two seconds', () => {
  vi.useFakeTimers()
  try {
    const ended: number[] = []
    spreadOut(
      Array.from({ length: 5_000 }, (_, at) => at),
      (at) => ended.push(at),
    )
    expect(ended).toHaveLength(0)
    vi.advanceTimersByTime(1_000)
    expect(ended.length).toBeGreaterThan(2_000)
    expect(ended.length).toBeLessThan(3_000)
    vi.advanceTimersByTime(1_000)
    expect(new Set(ended).size).toBe(5_000)
  } finally {
    vi.useRealTimers()
  }
})
