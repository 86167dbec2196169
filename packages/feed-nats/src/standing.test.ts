import { expect, test } from 'vitest'
import { isBrought } from './standing.ts'

const longAgo = Number.NEGATIVE_INFINITY
const now = 1_000_000

/** In milliseconds before now. */
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
  'a change from the log is still in flight': { unproven: 0, late: 599, brought: true },
  'a change from the log is missing': { unproven: 0, late: 600, brought: false },
  'NATS still delivers the missing changes': { unproven: 14_999, unmoved: 299, late: 14_999, brought: true },
  'NATS stopped delivering the missing changes': { unproven: 14_999, unmoved: 300, late: 14_999, brought: false },
  'NATS delivers without ever catching up': { unproven: 15_000, unmoved: 0, late: 15_000, brought: false },
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
