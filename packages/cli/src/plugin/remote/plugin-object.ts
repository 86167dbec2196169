import type { JsonSchema } from '@pergola/api'
import { isApiError } from '@pergola/api'
import type { ApiObject, Client } from '@pergola/client'

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

interface PluginVersion {
  readonly version: string
  readonly digest: string
  readonly displayName?: string
  readonly groups: readonly string[]
  readonly settings?: JsonSchema
  readonly dependencies?: Readonly<Record<string, string>>
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

/** Where packages go, and what is done with a plugin as a whole. */
export const pluginsPath = '/apis/console.api.platform.run/v1alpha1/plugins'

export async function findPlugin(client: Client, name: string): Promise<PluginObject | undefined> {
  try {
    return await client.resource(plugins).get(name)
  } catch (error) {
    if (isApiError(error) && error.reason === 'NotFound') return undefined
    throw error
  }
}

/** What has never been switched on has no state of its own yet. */
export function stateOf({ spec, status }: Pick<PluginObject, 'spec' | 'status'>): string {
  return stateWords({ ...(!spec.enabled && { phase: 'Disabled' }), ...status })
}

/** `Started`, or what it waits for. */
export function stateWords({ phase = 'NotStarted', reason }: PluginState): string {
  return reason === undefined ? phase : `${phase} (${reason})`
}
