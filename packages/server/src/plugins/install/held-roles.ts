import { sectionWithItems, type PlanItem, type PlanSection } from '@pergola/api'
import { isRole } from '../run/declared-objects.ts'
import type { ReviewedPackage } from './package-review.ts'
import { bindingsOf, type BelongingParts } from '../removal/belongings.ts'

/** For upgrades: bound role templates that the new version lacks. They would stop the upgrade. */
export async function describeHeldRoles(
  parts: Pick<BelongingParts, 'store' | 'models'>,
  before: ReviewedPackage,
  after: ReviewedPackage,
): Promise<readonly PlanSection[]> {
  const kept = new Set(after.objects.filter(isRole).map(({ name }) => name))
  const removed = before.objects.filter((object) => isRole(object) && !kept.has(object.name)).map(({ name }) => name)
  const items: PlanItem[] = []
  for (const role of removed) {
    const bindings = await bindingsOf(parts, role)
    if (bindings.length > 0) items.push({ code: 'held-role', values: { role, bindings } })
  }
  return sectionWithItems('blocked', items)
}
