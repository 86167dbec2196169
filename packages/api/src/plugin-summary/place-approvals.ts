import type { RequiredApproval } from './approvals.ts'
import { keyOf, planSection, type PlanItem, type PlanRisk, type PlanSection } from './plan.ts'

/** Marks the items that need approval. Every required approval is in its section, even where the description omits its item. */
export function withApprovals(
  sections: readonly PlanSection[],
  required: readonly RequiredApproval[],
): readonly PlanSection[] {
  return sections.map(({ code, items }) => {
    const marked = planSection(
      code,
      required.filter(({ section }) => section === code).map(({ item }) => item),
    ).items
    const byKey = new Map(marked.map((item) => [keyOf(item), item]))
    const known = new Set(items.map(keyOf))
    return {
      code,
      items: [
        ...marked.filter((item) => !known.has(keyOf(item))),
        ...items.map((item) => byKey.get(keyOf(item)) ?? item),
      ],
    }
  })
}

/** Sets the risk of items without one. What is removed has none. */
export function withRisk(risk: PlanRisk, items: readonly PlanItem[]): readonly PlanItem[] {
  return items.map((item) => ({ ...item, risk: item.change === '-' ? 'none' : (item.risk ?? risk) }))
}
