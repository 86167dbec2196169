import type { PluginAbout } from '../plugin-manifest.ts'
import { visible } from './sections.ts'

/** What an install, an upgrade, a rollback or a removal would do. The CLI and the console write their sentences from it. */
export interface Plan {
  readonly plugin: PlanIdentity
  /** The version that is replaced or removed. */
  readonly from?: string
  /** The version that runs afterwards. */
  readonly to?: string
  readonly sections: readonly PlanSection[]
  /** Names of the approvals that are required: those of the items. */
  readonly approvals: readonly string[]
}

/** The package, as it describes itself. Nobody has checked the claims of its author. */
export interface PlanIdentity extends PluginAbout {
  readonly name: string
  readonly version: string
  readonly displayName?: string
  /** Size of the package in bytes; absent when the package can no longer be read. */
  readonly size?: number
  readonly digest: string
  /** Semver range of compatible host versions. */
  readonly requires?: string
  readonly host: { readonly version: string; readonly isCompatible: boolean }
}

/** A section without items means "nothing". */
export interface PlanSection {
  readonly code: PlanSectionCode
  readonly items: readonly PlanItem[]
}

/** The subject of a section. */
export type PlanSectionCode =
  /** Faults that stop the change. */
  | 'blocked'
  /** Upgrades: changed claims of the author. */
  | 'about'
  /** Upgrades: API groups. */
  | 'groups'
  | 'models'
  /** Upgrades: indexes of models that exist. */
  | 'indexes'
  /** Upgrades: custom APIs. */
  | 'routes'
  /** Access by the plugin's roles. */
  | 'roles'
  /** Access without sign-in. */
  | 'public'
  /** Access of every signed-in user. */
  | 'signed-in'
  /** What no role of the package grants. */
  | 'unreached'
  /** Rights of the plugin itself beyond its own groups. */
  | 'requests'
  /** Controllers and schedules. */
  | 'background'
  | 'settings'
  /** The host version and the plugins that it needs. */
  | 'needs'
  /** Upgrades that change only code; always without items. */
  | 'changes'
  /** Existing data that becomes the plugin's. */
  | 'takeover'
  /** Stored objects that the new schemas reject. */
  | 'nonconforming'
  /** Stored values that a new unique index rejects. */
  | 'duplicates'
  /** Plugins that stop. */
  | 'dependents'
  | 'isolation'
  /** Removals. */
  | 'kept'
  | 'deleted'
  | 'deleted-roles'
  | 'deleted-objects'
  | 'deleted-bindings'
  | 'afterwards'

/** What the item means for a decision, from most to least. */
export type PlanRisk =
  /** Console code, access without sign-in, data or roles of others. */
  | 'decision'
  /** Takes effect for everybody who signs in. */
  | 'everybody'
  /** Takes effect for whoever gets a role of the plugin. */
  | 'role'
  | 'none'

export type PlanItemCode = keyof PlanItemValues

/** One fact. Its sentence needs `code` and `values`, in some cases `change`. */
export type PlanItem = { readonly [Code in PlanItemCode]: PlanItemOf<Code> }[PlanItemCode]

export interface PlanItemOf<Code extends PlanItemCode> {
  readonly code: Code
  readonly values: PlanItemValues[Code]
  readonly risk?: PlanRisk
  /** Upgrades: added, removed or changed. */
  readonly change?: '+' | '-' | '~'
  /** The name to approve, where an approval is required. */
  readonly approval?: string
}

type Texts = readonly string[]
type YesOrNo = 'yes' | 'no'

/** The role of the plugin that grants the right; absent outside of the section `roles`. */
interface OfRole {
  readonly role?: string
  readonly displayName?: string
}

/** The model, when it is the plugin's own. */
interface OfModel {
  readonly kind?: string
  readonly singular?: string
}

/** All item codes with their values. Verbs can be `*`, for all of them. */
export interface PlanItemValues {
  /** A right on objects. `group` is absent for the plugin's only group, empty for the core group, `*` for all; no `names` means all. */
  readonly resource: OfRole &
    OfModel & { readonly verbs: Texts; readonly resource: string; readonly group?: string; readonly names?: Texts }
  /** A right on a path that is no resource. */
  readonly url: OfRole & { readonly verbs: Texts; readonly url: string }
  /** A right on the caller's own objects; `all` means every verb that owners can have. */
  readonly owned: OfRole &
    OfModel & { readonly verbs: Texts; readonly all: YesOrNo; readonly resource: string; readonly names?: Texts }
  /** A custom API, with the author's description. With `names`, only for objects of these names. */
  readonly route: OfRole & {
    readonly method: string
    readonly path: string
    readonly description?: string
    readonly names?: Texts
  }
  /** Whatever else the web app of this API group serves. */
  readonly app: { readonly group: string }
  /** Includes the rights of the role `other`. */
  readonly 'includes-role': OfRole & { readonly other: string }
  /** Whoever has the role `target` gets the role `role`; `anonymous` is everybody, `authenticated` every signed-in user. */
  readonly 'joins-role': { readonly role: string; readonly displayName?: string; readonly target: string }
  readonly role: { readonly role: string; readonly displayName?: string }
  readonly 'role-without-rights': { readonly role: string; readonly displayName?: string }
  /** The package has code for the console, which acts with the rights of whoever opens its pages. */
  readonly 'console-code': Readonly<Record<string, never>>
  /** `unique`, `evaluated` (by the plugin) and `descending` are names in `indexes`. `check`: the plugin checks every write. */
  /** The field of a model of the plugin refers to objects of others: they cannot be deleted while it does. */
  readonly reference: {
    readonly resource: string
    readonly group: string
    readonly model: string
    readonly path: string
  }
  readonly model: {
    readonly resource: string
    readonly group: string
    readonly kind: string
    readonly versions: Texts
    readonly indexes: Texts
    readonly unique: Texts
    readonly evaluated: Texts
    readonly descending: Texts
    readonly check: YesOrNo
  }
  readonly 'model-name': {
    readonly resource: string
    readonly field: 'version' | 'kind' | 'singular'
    readonly before: string
    readonly after: string
  }
  /** Whether `status` is written only by the sub-resource. */
  readonly 'model-status': { readonly resource: string; readonly separate: YesOrNo }
  readonly 'model-check': { readonly resource: string; readonly check: YesOrNo }
  /** Its objects or fields are displayed in another way. */
  readonly 'model-display': { readonly resource: string }
  /** Only the first `limit` fields are compared. */
  readonly 'fields-cut': { readonly resource: string; readonly limit: number }
  /** `type` is absent for a field of any type. */
  readonly field: {
    readonly resource: string
    readonly path: string
    readonly type?: string
    readonly required: YesOrNo
  }
  readonly 'field-required': { readonly resource: string; readonly path: string; readonly required: YesOrNo }
  /** A schema keyword with another value; without `before` or `after` there is none. */
  readonly 'field-keyword': {
    readonly resource: string
    readonly path: string
    readonly keyword: string
    readonly before?: string
    readonly after?: string
  }
  /** A schema keyword whose value is too long to show. */
  readonly 'field-rewritten': { readonly resource: string; readonly path: string; readonly keyword: string }
  /** Allowed values, as JSON. */
  readonly 'field-values': {
    readonly resource: string
    readonly path: string
    readonly added: Texts
    readonly removed: Texts
  }
  readonly index: {
    readonly resource: string
    readonly name: string
    readonly unique: YesOrNo
    readonly evaluated: YesOrNo
    readonly order: 'ascending' | 'descending'
  }
  readonly composite: { readonly resource: string; readonly parts: Texts }
  readonly 'index-order': {
    readonly resource: string
    readonly name: string
    readonly order: 'ascending' | 'descending'
  }
  /**
   * `before` and `after` are traits of the index: a type, after `list` where an object has several values; `single` or `multi`
   * and `revision:<number>` where the plugin computes the values; `unique`; `unknown`.
   */
  readonly 'index-rebuilt': {
    readonly resource: string
    readonly name: string
    readonly before: Texts
    readonly after: Texts
  }
  readonly controller: { readonly name: string; readonly resource: string }
  /** Either `every` (`5m`) or `cron` (UTC). */
  readonly schedule: { readonly name: string; readonly every?: string; readonly cron?: string }
  readonly setting: { readonly name: string; readonly required: YesOrNo; readonly secret: YesOrNo }
  /** MiB of memory or in its scratch folder, or a number of processes. */
  readonly limit: { readonly limit: 'memory' | 'scratch' | 'processes'; readonly value: number }
  readonly 'host-version': { readonly range: string }
  readonly 'plugin-version': { readonly plugin: string; readonly range: string }
  readonly about: { readonly field: 'description' | 'author' | 'license' | 'homepage'; readonly text: string }
  readonly group: { readonly group: string }
  /** The caller may not do it; `message` is the detail of the problem that it would get. */
  readonly refused: { readonly reason: string; readonly message: string }
  /** The new version lacks a role that bindings grant. */
  readonly 'held-role': { readonly role: string; readonly bindings: Texts }
  /** `replaced`: the package has the model, so its schema and indexes are replaced. */
  readonly 'takeover-model': {
    readonly resource: string
    readonly group: string
    readonly count: number
    readonly replaced: YesOrNo
  }
  readonly 'takeover-settings': { readonly kind: string; readonly name: string }
  /** `found` of the `checked` objects; `complete` is `no` when there are more objects than were checked. */
  readonly nonconforming: {
    readonly resource: string
    readonly found: number
    readonly checked: number
    readonly complete: YesOrNo
  }
  readonly 'duplicate-values': {
    readonly resource: string
    readonly path: string
    readonly found: number
    readonly checked: number
    readonly complete: YesOrNo
  }
  /** `plugin` needs `needed` in `range`. */
  readonly dependent: {
    readonly plugin: string
    readonly version: string
    readonly needed: string
    readonly range: string
  }
  /** The plugin's process runs as the account of the host. */
  readonly 'shared-account': Readonly<Record<string, never>>
  readonly objects: { readonly count: number; readonly resource: string; readonly group: string }
  readonly 'settings-object': { readonly kind: string; readonly name: string }
  readonly object: { readonly kind: string; readonly name: string }
  readonly binding: { readonly name: string }
  /** The data is available again when the plugin is installed again. */
  readonly 'data-kept': { readonly groups: Texts }
  /** Other plugins can claim the groups. */
  readonly 'groups-released': { readonly groups: Texts }
}

/** Creates a section without duplicate items. Control and formatting characters are escaped. */
export function planSection(code: PlanSectionCode, items: readonly PlanItem[]): PlanSection {
  const byKey = new Map(items.map((item) => [keyOf(item), visibleItem(item)]))
  return { code, items: [...byKey.values()] }
}

/** Returns no section when there are no items. */
export function sectionWithItems(code: PlanSectionCode, items: readonly PlanItem[]): readonly PlanSection[] {
  return items.length === 0 ? [] : [planSection(code, items)]
}

/** Equal for items that state the same fact, whatever its approval. */
export function keyOf({ code, values, change }: PlanItem): string {
  return JSON.stringify([
    code,
    change ?? '',
    Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ])
}

/** The approval stays as it is: the host compares it with what the caller approves. */
function visibleItem(item: PlanItem): PlanItem {
  const values = Object.entries(item.values as Readonly<Record<string, string | number | Texts>>).map(
    ([key, value]) => [key, visibleValue(value)] as const,
  )
  return { ...item, values: Object.fromEntries(values) } as unknown as PlanItem
}

function visibleValue(value: string | number | Texts): string | number | Texts {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? visible(value) : value.map(visible)
}
