import type { Plugin, PluginState } from '@pergola/api'
import type { Words } from '../words/en.ts'

type Level = 'ok' | 'warn' | 'bad' | 'idle'

/** The colour level of a state, the same everywhere. */
export function levelOfState({ phase, reason }: Partial<PluginState>): Level {
  if (phase === 'Disabled') return 'idle'
  if (phase === 'Started') return 'ok'
  return phase === 'Failed' || reason === 'BackingOff' ? 'bad' : 'warn'
}

export function levelOf(plugin: Plugin): Level {
  const { spec, status = {} } = plugin
  if (!spec.enabled) return 'idle'
  return isRestarting(plugin) ? 'warn' : levelOfState(status)
}

/** A replica still runs the process from before the last requested restart. */
export function isRestarting({ spec, status = {} }: Plugin): boolean {
  const { replicas = [], phase } = status
  return phase === 'Started' && replicas.some(({ restarts = 0 }) => restarts < (spec.restarts ?? 0))
}

/** A state as text: the reason why it is not running, else its phase. */
export function stateWords(state: Partial<PluginState>, { phases, reasons, building }: Words['plugins']): string {
  const percent = buildPercent(state)
  if (percent !== undefined) return building(percent)
  return reasons[state.reason ?? ''] ?? phases[state.phase ?? 'NotStarted']
}

/** The version of a package by its digest; undefined if the plugin has no such version. */
export function versionOf({ spec }: Plugin, digest: string): string | undefined {
  return [spec, spec.candidate, spec.previous].find((one) => one?.digest === digest)?.version
}

/** Progress of the index builds that the plugin waits for; undefined if it does not wait for any. */
export function buildPercent({ reason, message }: Partial<PluginState>): number | undefined {
  return reason === 'BuildingIndexes' ? (percentIn(message) ?? 0) : undefined
}

/** Finds `42 %` in a status message. */
export function percentIn(message = ''): number | undefined {
  const [, percent] = /(\d+)\s*%/.exec(message) ?? []
  return percent === undefined ? undefined : Number(percent)
}

/** What a message with a stack says: the error, else its first line. */
export function failureLine(message: string): string {
  return /^\w*Error: (.+)$/m.exec(message)?.[1] ?? message.split('\n', 1)[0] ?? ''
}

/** The address contains the digest of the package, so browsers may cache the image. */
export function logoPath({ metadata, spec: { digest, logo } }: Plugin): string | undefined {
  if (logo === undefined) return undefined
  return `/plugins/${metadata.name}/${digest.slice(digest.indexOf(':') + 1).slice(0, 12)}/${logo}`
}

export function titleOfPlugin({ metadata, spec }: Plugin): string {
  return spec.displayName ?? metadata.name
}
