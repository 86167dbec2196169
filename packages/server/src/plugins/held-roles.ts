import { sectionOf, type Section } from '@pergola/api'
import { isRole } from './declared-objects.ts'
import type { ReviewedPackage } from './package-review.ts'
import { bindingsOf, type BelongingParts } from './removal/belongings.ts'

/** For upgrades: role templates that the new version no longer has and somebody holds. They would stop the upgrade. */
export async function describeHeldRoles(
  parts: Pick<BelongingParts, 'store' | 'models'>,
  before: ReviewedPackage,
  after: ReviewedPackage,
): Promise<readonly Section[]> {
  const kept = new Set(after.objects.filter(isRole).map(({ name }) => name))
  const removed = before.objects.filter((object) => isRole(object) && !kept.has(object.name)).map(({ name }) => name)
  const lines: string[] = []
  for (const role of removed) {
    const bindings = await bindingsOf(parts, role)
    if (bindings.length > 0)
      lines.push(`role ${role} is removed, and rolebinding ${bindings.join(', ')} grants it; revoke it first`)
  }
  return sectionOf('stops it', lines)
}
