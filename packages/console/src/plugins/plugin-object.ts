import type { ApiObject, ResourceType } from '@pergola/client'
import type { PlanItem, PlanSectionCode, PluginAbout, Rule } from '@pergola/api'
import type { Schema } from '../models/schema.ts'
import type { Words } from '../words/en.ts'

/** An approved right, described as in the plan. */
export interface ApprovedRight extends Pick<PlanItem, 'code' | 'values'> {
  readonly section: PlanSectionCode
  readonly approval: string
  readonly at: string
  /** Absent when the configuration approved it. */
  readonly by?: { readonly user?: string; readonly plugin?: string }
}

interface PluginVersion extends PluginAbout {
  readonly version: string
  readonly digest: string
  readonly displayName?: string
  readonly groups: readonly string[]
  readonly permissions: readonly Rule[]
  readonly settings?: Schema
  readonly approved?: readonly ApprovedRight[]
  readonly installedBy?: { readonly user?: { readonly name: string } }
}

export interface PluginState {
  readonly phase?: 'Disabled' | 'Failed' | 'NotStarted' | 'Prepared' | 'Started'
  readonly reason?: string
  readonly message?: string
}

interface ReplicaState extends PluginState {
  readonly replica: string
  readonly digest: string
  readonly restarts?: number
}

/** The resource `plugins`. */
export interface PluginObject extends ApiObject {
  readonly spec: PluginVersion & {
    readonly enabled: boolean
    readonly candidate?: PluginVersion
    readonly previous?: PluginVersion
    readonly removal?: 'keep' | 'purge'
    readonly restarts?: number
  }
  readonly status?: PluginState & {
    readonly replicas?: readonly ReplicaState[]
    readonly upgrade?: { readonly from: string; readonly to: string; readonly phase: string; readonly message?: string }
    readonly schedules?: readonly {
      readonly name: string
      readonly lastRun?: string
      readonly lastError?: string
      readonly nextRun?: string
    }[]
  }
}

export const pluginType: ResourceType<PluginObject> = {
  group: 'plugin.platform.run',
  version: 'v1alpha1',
  plural: 'plugins',
}

type Level = 'ok' | 'warn' | 'bad' | 'idle'

/** The colour level of a state, the same everywhere. */
export function levelOfState({ phase, reason }: PluginState): Level {
  if (phase === 'Disabled') return 'idle'
  if (phase === 'Started') return 'ok'
  return phase === 'Failed' || reason === 'BackingOff' ? 'bad' : 'warn'
}

export function levelOf(plugin: PluginObject): Level {
  const { spec, status = {} } = plugin
  if (!spec.enabled) return 'idle'
  return isRestarting(plugin) ? 'warn' : levelOfState(status)
}

/** A replica still runs the process from before the last requested restart. */
export function isRestarting({ spec, status = {} }: PluginObject): boolean {
  const { replicas = [], phase } = status
  return phase === 'Started' && replicas.some(({ restarts = 0 }) => restarts < (spec.restarts ?? 0))
}

/** A state as text: the reason why it is not running, else its phase. */
export function stateWords(state: PluginState, { phases, reasons, building }: Words['plugins']): string {
  const percent = buildPercent(state)
  if (percent !== undefined) return building(percent)
  return reasons[state.reason ?? ''] ?? phases[state.phase ?? 'NotStarted']
}

/** The version of a package by its digest; undefined if the plugin has no such version. */
export function versionOf({ spec }: PluginObject, digest: string): string | undefined {
  return [spec, spec.candidate, spec.previous].find((one) => one?.digest === digest)?.version
}

/** Progress of the index builds that the plugin waits for; undefined if it does not wait for any. */
export function buildPercent({ reason, message }: PluginState): number | undefined {
  return reason === 'BuildingIndexes' ? (percentIn(message) ?? 0) : undefined
}

/** Finds `42 %` in a status message. */
export function percentIn(message = ''): number | undefined {
  const [, percent] = /(\d+)\s*%/.exec(message) ?? []
  return percent === undefined ? undefined : Number(percent)
}

/** The address contains the digest of the package, so browsers may cache the image. */
export function logoPath({ metadata, spec: { digest, logo } }: PluginObject): string | undefined {
  if (logo === undefined) return undefined
  return `/plugins/${metadata.name}/${digest.slice(digest.indexOf(':') + 1).slice(0, 12)}/${logo}`
}

export function titleOfPlugin({ metadata, spec }: PluginObject): string {
  return spec.displayName ?? metadata.name
}
