import { coreResources, isApiError, type Plugin, type PluginState } from '@pergola/api'
import type { Client } from '@pergola/client'

/** Path for packages and actions on plugins. */
export const pluginsPath = '/apis/console.api.platform.run/v1alpha1/plugins'

export async function findPlugin(client: Client, name: string): Promise<Plugin | undefined> {
  try {
    return await client.resource(coreResources.plugins).get(name)
  } catch (error) {
    if (isApiError(error) && error.reason === 'NotFound') return undefined
    throw error
  }
}

/** Formats the state; a plugin that was never enabled has no status yet. */
export function stateOf({ spec, status }: Pick<Plugin, 'spec' | 'status'>): string {
  return stateWords({ ...(!spec.enabled && { phase: 'Disabled' }), ...status })
}

/** `Started`, or the phase with its reason. */
export function stateWords({ phase = 'NotStarted', reason }: Partial<PluginState>): string {
  return reason === undefined ? phase : `${phase} (${reason})`
}
