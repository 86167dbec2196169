import type { Plugin } from '@pergola/api'
import { percentIn } from './plugin-object.ts'

type StepKey = 'checked' | 'decided' | 'installed' | 'running' | 'beside' | 'prepared' | 'moved'

export interface Step {
  readonly key: StepKey
  readonly state: 'done' | 'now' | 'wait'
  readonly percent?: number | undefined
}

export interface Progress {
  readonly steps: readonly Step[]
  readonly outcome: 'under-way' | 'done' | 'failed'
}

const installing: readonly StepKey[] = ['checked', 'decided', 'installed', 'running']
const upgrading: readonly StepKey[] = ['checked', 'beside', 'prepared', 'moved']

/** The steps shown while a package is under review. */
export function stepsBefore(): readonly Step[] {
  return stepsAt(installing, 'decided')
}

/** Progress of an installation, or of an upgrade if another version was installed before. */
export function progressOf(plugin: Plugin | undefined, digest: string, isUpgrade: boolean): Progress {
  const outcome = outcomeOf(plugin, digest)
  if (!isUpgrade) {
    const now = plugin?.spec.digest === digest ? 'running' : 'installed'
    return { steps: stepsAt(installing, outcome === 'done' ? undefined : now, percentOf(plugin)), outcome }
  }
  const now = outcome === 'done' ? undefined : upgradeStep(plugin, digest)
  return { steps: stepsAt(upgrading, now, percentOf(plugin)), outcome }
}

function outcomeOf(plugin: Plugin | undefined, digest: string): Progress['outcome'] {
  if (!plugin) return 'under-way'
  const { spec, status = {} } = plugin
  if (spec.digest !== digest) return !spec.candidate && status.upgrade?.phase === 'Failed' ? 'failed' : 'under-way'
  // A disabled plugin is replaced at once and stays off.
  if (!spec.enabled) return 'done'
  const isToldOf = (status.replicas ?? []).some((one) => one.digest === digest)
  if (!isToldOf) return 'under-way'
  if (status.phase === 'Started') return 'done'
  return status.phase === 'Failed' || status.reason === 'BackingOff' ? 'failed' : 'under-way'
}

function upgradeStep(plugin: Plugin | undefined, digest: string): StepKey {
  if (plugin?.spec.digest === digest) return 'moved'
  const started = (plugin?.status?.replicas ?? []).filter((one) => one.digest === digest)
  return started.length > 0 && started.every(({ phase }) => phase === 'Prepared') ? 'prepared' : 'beside'
}

function percentOf(plugin: Plugin | undefined): number | undefined {
  const { upgrade, message } = plugin?.status ?? {}
  return percentIn(plugin?.spec.candidate ? upgrade?.message : message)
}

/** Without a current step, all are done. */
function stepsAt(keys: readonly StepKey[], now: StepKey | undefined, percent?: number): readonly Step[] {
  const at = now === undefined ? keys.length : keys.indexOf(now)
  return keys.map((key, index) => {
    if (index !== at) return { key, state: index < at ? 'done' : 'wait' }
    return { key, state: 'now', ...(percent !== undefined && { percent }) }
  })
}
