import type { Model } from '../models/model.ts'
import { pathOfVersion } from './discovery-document.ts'

export interface GroupVersion {
  readonly apiVersion: string
  /** `/apis/<group>/<version>`. */
  readonly path: string
  readonly models: readonly Model[]
}

/** The models by group and version. */
export function versionsOf(models: readonly Model[]): readonly GroupVersion[] {
  const byVersion = Map.groupBy(models, ({ apiVersion }) => apiVersion)
  return [...byVersion].flatMap(([apiVersion, inVersion]) => {
    const [first] = inVersion
    return first ? [{ apiVersion, path: pathOfVersion(first.group, first.version), models: inVersion }] : []
  })
}
