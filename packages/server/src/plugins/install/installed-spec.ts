import type { PluginSpec } from '@pergola/api'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import type { Store } from '../../store/store.ts'
import { specOf } from '../plugin-model.ts'

export interface InstalledParts {
  readonly store: Store
  /** The model of plugins. */
  readonly plugins: Model
}

/** The spec as stored now; undefined when the plugin does not exist. */
export async function installedSpec({ store, plugins }: InstalledParts, name: string): Promise<PluginSpec | undefined> {
  const stored = await store.get(plugins, name)
  return stored && specOf(fromData(stored.data))
}
