import type { JsonSchema, PlanItem, PlanSectionCode, PluginAbout } from '@pergola/api'
import { isApiError } from '@pergola/api'
import type { ApiObject, Client } from '@pergola/client'

/** A plugin object as the server returns it. */
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

interface PluginVersion extends PluginAbout {
  readonly version: string
  readonly digest: string
  readonly displayName?: string
  readonly groups: readonly string[]
  readonly settings?: JsonSchema
  readonly dependencies?: Readonly<Record<string, string>>
  readonly approved?: readonly Approved[]
}

/** An approved right, with when and by whom. */
export type Approved = PlanItem & {
  readonly section: PlanSectionCode
  readonly at: string
  readonly by?: { readonly user?: string; readonly plugin?: string }
}

interface ReplicaState extends PluginState {
  readonly replica: string
  readonly digest: string
  readonly restarts?: number
}

export interface PluginState {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
}

export const plugins: {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly object?: PluginObject
} = { group: 'plugin.platform.run', version: 'v1alpha1', plural: 'plugins' }

/** Path for packages and actions on plugins. */
export const pluginsPath = '/apis/console.api.platform.run/v1alpha1/plugins'

export async function findPlugin(client: Client, name: string): Promise<PluginObject | undefined> {
  try {
    return await client.resource(plugins).get(name)
  } catch (error) {
    if (isApiError(error) && error.reason === 'NotFound') return undefined
    throw error
  }
}

/** Formats the state; a plugin that was never enabled has no status yet. */
export function stateOf({ spec, status }: Pick<PluginObject, 'spec' | 'status'>): string {
  return stateWords({ ...(!spec.enabled && { phase: 'Disabled' }), ...status })
}

/** `Started`, or the phase with its reason. */
export function stateWords({ phase = 'NotStarted', reason }: PluginState): string {
  return reason === undefined ? phase : `${phase} (${reason})`
}
