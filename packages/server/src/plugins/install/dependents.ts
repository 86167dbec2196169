import { sectionWithItems, type PlanItem, type PlanSection } from '@pergola/api'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { allObjects } from '../../store/all-objects.ts'
import type { Store } from '../../store/store.ts'
import { specOf } from '../plugin-model.ts'
import { isInRange } from '../package/versions.ts'

export interface DependentParts {
  readonly store: Store
  readonly plugins: Model
}

/** The plugins that stop if a plugin is changed to that version, or removed. */
export async function describeDependents(
  { store, plugins }: DependentParts,
  name: string,
  version?: string,
): Promise<readonly PlanSection[]> {
  const items: PlanItem[] = []
  for await (const stored of allObjects(store, plugins)) {
    const { dependencies, removal, version: own } = specOf(fromData(stored.data))
    const range = dependencies?.[name]
    if (range === undefined || removal || (version !== undefined && isInRange(version, range))) continue
    items.push({ code: 'dependent', values: { plugin: stored.name, version: own, needed: name, range } })
  }
  return sectionWithItems('dependents', items)
}
