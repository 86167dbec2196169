import type { ApiObject, ResourceType } from '@pergola/client'
import type { Plan as ServerPlan, PlanSection, PluginAbout, Rule } from '@pergola/api'
import { consoleApi } from '../server/client.ts'
import type { Schema } from '../models/schema.ts'

interface PluginVersion extends PluginAbout {
  readonly version: string
  readonly digest: string
  readonly displayName?: string
  readonly groups: readonly string[]
  readonly permissions: readonly Rule[]
  readonly settings?: Schema
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

/** A plugin as the server tells of it. */
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

/** Where packages go, and what is done with a plugin as a whole. */
export const pluginsPath = `${consoleApi}/plugins`

/** What an install, an upgrade, a rollback or a removal would do. */
export interface Plan extends Omit<ServerPlan, 'sections'> {
  readonly sections: readonly (PlanSection & { readonly heading?: string })[]
}

export function levelOf({ spec, status }: PluginObject): 'ok' | 'warn' | 'bad' | 'idle' {
  if (!spec.enabled) return 'idle'
  if (status?.phase === 'Started') return 'ok'
  return status?.phase === 'Failed' || status?.reason === 'BackingOff' ? 'bad' : 'warn'
}

/** Of the indexes that are being built, where that is what it waits for: `42 %` in the words of its state. */
export function buildPercent({ reason, message = '' }: PluginState): number | undefined {
  if (reason !== 'BuildingIndexes') return undefined
  const [, percent = '0'] = /(\d+)\s*%/.exec(message) ?? []
  return Number(percent)
}

/** Its address has the digest of the package, so browsers may keep the image. */
export function logoPath({ metadata, spec: { digest, logo } }: PluginObject): string | undefined {
  if (logo === undefined) return undefined
  return `/plugins/${metadata.name}/${digest.slice(digest.indexOf(':') + 1).slice(0, 12)}/${logo}`
}
