import { createHash } from 'node:crypto'
import type { PluginCaller } from './call.ts'

/** A plugin for itself, by the start token of its process. */
export function pluginCaller(plugin: string, token: string): PluginCaller {
  return { kind: 'plugin', name: `plugin:${plugin}`, plugin, start: startOf(token) }
}

/** Names a process by its start token, which it does not tell. */
export function startOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
