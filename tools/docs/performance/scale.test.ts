import { describe, expect, it } from 'vitest'
import { linearScale, logScale, ticks } from './scale.ts'

describe('ticks', () => {
  it.each([
    { sentence: 'reach the highest value in round steps', max: 823, intervals: 3, expected: [0, 500, 1000] },
    { sentence: 'end at the highest value if it is round', max: 150, intervals: 3, expected: [0, 50, 100, 150] },
    { sentence: 'have no rounding errors below 1', max: 0.3, intervals: 3, expected: [0, 0.1, 0.2, 0.3] },
    { sentence: 'are only 0 without a value', max: 0, intervals: 3, expected: [0] },
  ])('$sentence', ({ max, intervals, expected }) => {
    expect(ticks(max, intervals)).toEqual(expected)
  })
})

describe('scales', () => {
  it('a linear axis begins at 0', () => {
    const scale = linearScale(50, 200)
    expect([0, 25, 50].map(scale)).toEqual([0, 100, 200])
  })

  it('a linear axis without values has no length', () => {
    expect(linearScale(0, 200)(0)).toBe(0)
  })

  it('a logarithmic axis gives every decade the same length', () => {
    const scale = logScale(10_000, 10_000_000, 300)
    expect([1e4, 1e5, 1e6, 1e7].map((value) => Math.round(scale(value)))).toEqual([0, 100, 200, 300])
  })

  it('a single point lies in the middle of a logarithmic axis', () => {
    expect(logScale(100, 100, 300)(100)).toBe(150)
  })
})
