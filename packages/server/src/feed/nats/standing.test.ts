import { expect, test } from 'vitest'
import { isBrought } from './standing.ts'

const longAgo = Number.NEGATIVE_INFINITY
const now = 1_000_000

/** In milliseconds, as of now. */
interface Case {
  readonly unproven: number
  readonly unmoved?: number
  readonly late?: number
  readonly brought: boolean
}

const cases: Readonly<Record<string, Case>> = {
  'it was proven a moment ago': { unproven: 0, brought: true },
  'the last proof is almost too old': { unproven: 1_199, brought: true },
  'the last proof is too old': { unproven: 1_200, brought: false },
  'it was never proven': { unproven: -longAgo, brought: false },
  'something is on its way that the log has': { unproven: 0, late: 599, brought: true },
  'something is missing that the log has': { unproven: 0, late: 600, brought: false },
  'it is still bringing what is missing': { unproven: 14_999, unmoved: 299, late: 14_999, brought: true },
  'it has stopped bringing what is missing': { unproven: 14_999, unmoved: 300, late: 14_999, brought: false },
  'it brings without ever coming to the end': { unproven: 15_000, unmoved: 0, late: 15_000, brought: false },
}

for (const [what, { unproven, unmoved, late, brought }] of Object.entries(cases)) {
  test(`the log is ${brought ? 'not read' : 'read'} when ${what}`, () => {
    const standing = {
      provenAt: () => now - unproven,
      movedAt: unmoved === undefined ? longAgo : now - unmoved,
      late: () => late ?? longAgo,
    }
    expect(isBrought(standing, now)).toBe(brought)
  })
}
