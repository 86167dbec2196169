import type { Plugin, PluginState } from '@pergola/api'
import type { Words } from '../words/en.ts'

type Level = 'ok' | 'warn' | 'bad' | 'idle'

/** The tone of a state, the same wherever it is shown. */
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

/** A server still runs the process that a restart replaces. */
export function isRestarting({ spec, status = {} }: Plugin): boolean {
  const { replicas = [], phase } = status
  return phase === 'Started' && replicas.some(({ restarts = 0 }) => restarts < (spec.restarts ?? 0))
}

/** A state in words: why it does not run yet, else its phase. */
export function stateWords(state: Partial<PluginState>, { phases, reasons, building }: Words['plugins']): string {
  const percent = buildPercent(state)
  if (percent !== undefined) return building(percent)
  return reasons[state.reason ?? ''] ?? phases[state.phase ?? 'NotStarted']
}

/** The version of a package by its digest, as far as the plugin knows it. */
export function versionOf({ spec }: Plugin, digest: string): string | undefined {
  return [spec, spec.candidate, spec.previous].find((one) => one?.digest === digest)?.version
}

/** Of the indexes that are being built, where that is what it waits for. */
export function buildPercent({ reason, message }: Partial<PluginState>): number | undefined {
  return reason === 'BuildingIndexes' ? (percentIn(message) ?? 0) : undefined
}

/** `42 %` in the words of a state. */
export function percentIn(message = ''): number | undefined {
  const [, percent] = /(\d+)\s*%/.exec(message) ?? []
  return percent === undefined ? undefined : Number(percent)
}

/** Its address has the digest of the package, so browsers may keep the image. */
export function logoPath({ metadata, spec: { digest, logo } }: Plugin): string | undefined {
  if (logo === undefined) return undefined
  return `/plugins/${metadata.name}/${digest.slice(digest.indexOf(':') + 1).slice(0, 12)}/${logo}`
}

export function titleOfPlugin({ metadata, spec }: Plugin): string {
  return spec.displayName ?? metadata.name
}
