import type { ModelDisplay, ReferenceTarget } from '@pergola/api'
import type { Model } from '../models/model.ts'

/** Every group, version and model in one document. */
export interface DiscoveryDocument {
  readonly apiVersion: 'v1alpha1'
  readonly kind: 'GroupList'
  readonly groups: readonly DiscoveredGroup[]
}

interface DiscoveredGroup {
  /** Empty for the core group. */
  readonly name: string
  readonly versions: readonly {
    readonly name: string
    readonly path: string
    readonly models: readonly DiscoveredModel[]
  }[]
}

interface DiscoveredModel {
  readonly kind: string
  readonly singular: string
  readonly plural: string
  /** Whether clients can write the status; false where only the host writes it. */
  readonly statusSubresource: boolean
  readonly verbs: readonly string[]
  /** Lists can be selected by these, and sorted by those with a single value. */
  readonly indexes: readonly {
    readonly name: string
    readonly type: string
    readonly multi: boolean
    readonly unique: boolean
    readonly order: 'ASC' | 'DESC'
    /** The model whose objects the values name. */
    readonly refersTo?: ReferenceTarget
  }[]
  readonly display?: ModelDisplay
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

export function discoveryDocument(models: readonly Model[]): DiscoveryDocument {
  const groups = Map.groupBy(models, ({ group }) => group)
  return {
    apiVersion: 'v1alpha1',
    kind: 'GroupList',
    groups: [...groups].map(([name, inGroup]) => ({
      name,
      versions: [...Map.groupBy(inGroup, ({ version }) => version)].map(([version, inVersion]) => ({
        name: version,
        path: pathOfVersion(name, version),
        models: inVersion.map(discoveredModel),
      })),
    })),
  }
}

/** The path of a group and version. */
export function pathOfVersion(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`
}

function discoveredModel({ definition, statusSubresource, rules, indexes }: Model): DiscoveredModel {
  const { kind, singular, plural, display } = definition
  return {
    kind,
    singular,
    plural,
    statusSubresource: statusSubresource && !rules.ownsStatus,
    verbs: rules.createdAt === undefined ? verbs : verbs.filter((verb) => verb !== 'create'),
    indexes: indexes
      .filter(({ isNext }) => !isNext)
      .map(({ name, type, multi, unique, descending, refersTo }) => {
        return { name, type, multi, unique, order: descending ? 'DESC' : 'ASC', ...(refersTo && { refersTo }) }
      }),
    ...(display && { display }),
  }
}
