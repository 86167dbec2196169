import type { ApiObject } from '../object.ts'
import type { JsonSchema } from '../object-schema.ts'
import type { PageDeclaration } from '../plugin-definition.ts'
import type { PluginAbout } from '../plugin-manifest.ts'
import type { PluginLimits } from '../plugin-limits.ts'
import type { RequiredApproval } from '../plugin-summary/approvals.ts'
import type { PlanSectionCode } from '../plugin-summary/plan.ts'
import type { Rule } from '../rules.ts'

export interface Plugin extends ApiObject {
  readonly spec: PluginSpec
  /** Absent, or without a phase, while no replica has reported a state. */
  readonly status?: Partial<PluginStatus>
}

export interface PluginVersion extends PluginAbout {
  readonly version: string
  /** Digest of its package. */
  readonly digest: string
  readonly displayName?: string
  /** Entry file of its console pages. */
  readonly ui?: string
  /** Its console pages; menus show them without running any of its code. */
  readonly pages?: readonly PageDeclaration[]
  /** The groups that it claims; for the active version, including those that earlier versions claimed. */
  readonly groups: readonly string[]
  /** Rights beyond its groups, as approved by an operator. */
  readonly permissions: readonly Rule[]
  /** The schema of its settings. */
  readonly settings?: JsonSchema
  /** The plugins that it needs, each with a version range. */
  readonly dependencies?: Readonly<Record<string, string>>
  /** What it uses at most, where that is more than usual. */
  readonly needs?: PluginLimits
  /** Who installed it: its roles grant no more than they hold. Absent for packages that come from the configuration. */
  readonly installedBy?: PluginInstaller
  /** The rights that were approved, with when and by whom. */
  readonly approved?: readonly ApprovedRight[]
}

export interface PluginInstaller {
  /** Absent for a plugin that acted for itself. */
  readonly user?: { readonly name: string; readonly uid: string }
  /** The plugin that acted, for the user or for itself. */
  readonly plugin?: string
}

/** An installed plugin, with the fields of its active version. */
export interface PluginSpec extends PluginVersion {
  readonly enabled: boolean
  /** The version that is being prepared to replace the active one. */
  readonly candidate?: PluginCandidate
  /** The previous version, for a rollback. */
  readonly previous?: PluginVersion
  /** The plugin is uninstalled: its stored objects are kept or purged. */
  readonly removal?: 'keep' | 'purge'
  /** How often a restart was requested. */
  readonly restarts?: number
  /** Set by an operator: what its processes may use on each server, instead of the usual and of what it needs. */
  readonly limits?: PluginLimits
}

interface PluginCandidate extends PluginVersion {
  /** The groups claimed only for the candidate. */
  readonly adds: readonly string[]
}

/** The progress of a version on a replica, or everywhere. `Started` is the last phase; earlier ones come with a reason. */
export interface PluginState {
  readonly phase: PluginPhase
  readonly reason?: string
  readonly message?: string
}

export interface PluginReplica extends PluginState {
  readonly replica: string
  readonly digest: string
  /** The last restart request that it has followed. */
  readonly restarts?: number
}

export interface PluginStatus extends PluginState {
  readonly replicas?: readonly PluginReplica[]
  /** The last upgrade, or the one in progress. */
  readonly upgrade?: PluginUpgrade
  readonly schedules?: readonly PluginSchedule[]
}

/** The state of a plugin's schedule; times are RFC 3339. */
export interface PluginSchedule {
  readonly name: string
  /** When the last completed run began. */
  readonly lastRun?: string
  /** Absent when that run succeeded. */
  readonly lastError?: string
  /** How many of the last runs failed in succession. */
  readonly failures?: number
  readonly nextRun?: string
  /** Identifies a requested run that has not completed. */
  readonly requested?: string
}

export interface PluginUpgrade {
  readonly from: string
  readonly to: string
  readonly phase: 'Preparing' | 'Switched' | 'Failed'
  readonly message?: string
}

/** `Prepared`: on a replica, a version that waits to be switched to. */
type PluginPhase = 'Disabled' | 'Failed' | 'NotStarted' | 'Prepared' | 'Started'

/** A right that was approved by name, as the plan described it. Written by the host alone. */
export type ApprovedRight = RequiredApproval['item'] & {
  readonly section: PlanSectionCode
  /** RFC 3339. */
  readonly at: string
  /** Absent for approvals that come from the configuration. */
  readonly by?: Approver
}

export interface Approver {
  readonly user?: string
  /** The plugin that acted, for the user or for itself. */
  readonly plugin?: string
}
