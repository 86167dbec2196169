import { createHash } from 'node:crypto'
import type { PluginCaller } from './call.ts'

/** A plugin acting for itself, identified by the start token of its process. */
export function pluginCaller(plugin: string, token: string, groups?: readonly string[]): PluginCaller {
  return { kind: 'plugin', name: `plugin:${plugin}`, plugin, start: startOf(token), ...(groups && { groups }) }
}

/** Identifies a process by a digest of its start token, which does not reveal the token. */
export function startOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
