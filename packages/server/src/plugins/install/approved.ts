import type { PlanItemCode, PlanSectionCode, RequiredApproval } from '@pergola/api'
import type { PackageReview } from './package-review.ts'

/** A right that was approved by name, as the plan described it. Written by the host alone. */
export interface Approved {
  readonly section: PlanSectionCode
  readonly code: PlanItemCode
  readonly values: RequiredApproval['item']['values']
  /** The name by which it was approved. */
  readonly approval: string
  /** RFC 3339. */
  readonly at: string
  /** Absent for approvals that come from the configuration. */
  readonly by?: Approver
}

interface Approver {
  readonly user?: string
  /** The plugin that acted, for the user or for itself. */
  readonly plugin?: string
}

export interface Approving {
  readonly at: number
  readonly by?: Approver
}

/** Earlier approvals that still apply, and the new ones. */
export function approvedWith(
  { approvals, expired }: Pick<PackageReview, 'approvals' | 'expired'>,
  earlier: readonly Approved[],
  { at, by }: Approving,
): readonly Approved[] {
  const added = approvals.map(({ section, item: { code, values, approval } }): Approved => {
    return { section, code, values, approval, at: new Date(at).toISOString(), ...(by && { by }) }
  })
  const isOver = new Set([...expired, ...added.map(({ approval }) => approval)])
  return [...earlier.filter(({ approval }) => !isOver.has(approval)), ...added]
}
