import { describe, expect, it } from 'vitest'
import { goalGroups, outcome, groupOutcome } from './goals.ts'

/** Outcomes are kept on one line. */
const withSpaces = (text: string) => text.replaceAll('\u00A0', ' ')

describe('outcomes', () => {
  it.each([
    { sentence: 'a lower figure reaches its goal', figure: 0.9, goal: 1, expected: 'reached by 10 %' },
    { sentence: 'a higher figure misses it', figure: 1.5, goal: 1.2, expected: '**missed** by 25 %' },
    { sentence: 'the goal itself reaches it', figure: 1.2, goal: 1.2, expected: 'reached' },
    {
      sentence: 'a small difference is not 0 %',
      figure: 1.004,
      goal: 1,
      expected: '**missed** by less than 1 %',
    },
    { sentence: 'a goal of 0 has no percentage', figure: 3, goal: 0, expected: '**missed**' },
  ])('$sentence', ({ figure, goal, expected }) => {
    expect(withSpaces(outcome({ figure, goal }))).toBe(expected)
  })

  it.each([
    { sentence: 'a group of one shows by how much', figures: [0.9], expected: 'reached by 10 %' },
    { sentence: 'a group with every goal reached is reached', figures: [0.5, 1], expected: 'reached' },
    { sentence: 'a group shows how many goals are missed', figures: [0.5, 1.1, 1.2], expected: '**2 of 3 missed**' },
  ])('$sentence', ({ figures, expected }) => {
    expect(withSpaces(groupOutcome(figures.map((figure) => ({ figure, goal: 1 }))))).toBe(expected)
  })
})

describe('groups', () => {
  it('rows of one operation are one group, and facts without a goal are left out', () => {
    const figures = (ratio: number) => {
      const cpu = { host: 1, plugin: 0, database: 0 }
      const one = { cpu, total: 1, perSecond: 1, p50: 1, p99: 1, middleHalf: [1, 1] as const }
      return [
        { ...one, name: 'Pergola', ratio },
        { ...one, name: 'bare', ratio: 1 },
      ]
    }
    const groups = goalGroups({
      rows: [
        { operation: 'get', callers: 1, figures: figures(1.3), goal: 1.4 },
        { operation: 'get', callers: 32, figures: figures(1.1), goal: 1 },
        { operation: 'list', callers: 1, figures: figures(2) },
      ],
      facts: [
        { what: 'start', value: 347, unit: 'ms', goal: 500 },
        { what: 'size', value: 6, unit: 'KB' },
      ],
    })
    expect(
      groups.map(({ what, goals, textOf }) => [what, goals, withSpaces(textOf(goals.map(({ figure }) => figure)))]),
    ).toEqual([
      [
        'get',
        [
          { figure: 1.3, goal: 1.4, callers: 1 },
          { figure: 1.1, goal: 1, callers: 32 },
        ],
        '1.30, 1.10 ×',
      ],
      ['start', [{ figure: 347, goal: 500 }], '347 ms'],
    ])
  })
})
