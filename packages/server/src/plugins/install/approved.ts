import type { ApprovedRight, Approver } from '@pergola/api'
import type { PackageReview } from './package-review.ts'

export interface Approving {
  readonly at: number
  readonly by?: Approver
}

/** Earlier approvals that still apply, and the new ones. */
export function approvedWith(
  { approvals, expired }: Pick<PackageReview, 'approvals' | 'expired'>,
  earlier: readonly ApprovedRight[],
  { at, by }: Approving,
): readonly ApprovedRight[] {
  const added = approvals.map(({ section, item: { code, values, approval } }) => {
    return { section, code, values, approval, at: new Date(at).toISOString(), ...(by && { by }) } as ApprovedRight
  })
  const isOver = new Set([...expired, ...added.map(({ approval }) => approval)])
  return [...earlier.filter(({ approval }) => !isOver.has(approval)), ...added]
}
