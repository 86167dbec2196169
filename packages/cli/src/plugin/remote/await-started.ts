import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@pergola/client'
import { CommandFault } from '../../terminal/command-fault.ts'
import { showingProgress } from '../../terminal/progress.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { visibleLines } from '../../terminal/visible.ts'
import { findPlugin, stateWords, type PluginObject } from './plugin-object.ts'

const lookMs = 200
/** Replicas report with a delay, so the state must stay unchanged for this long. */
const settledMs = 600
/** Reasons that do not clear by waiting. */
const hopeless = new Set(['BackingOff', 'DuplicateValues', 'WaitingForDependency'])

export interface Awaited {
  readonly client: Client
  readonly name: string
  /** Digest of the awaited version. */
  readonly digest: string
  readonly version: string
  /** Minimum restart count of each replica; default 0. */
  readonly restarts?: number
  readonly seconds: number
}

/** Waits until the version runs on every replica; returns a summary such as `started on 3 of 3`. */
export async function awaitStarted(terminal: Terminal, awaited: Awaited): Promise<string> {
  const { client, name, version, digest, restarts = 0, seconds } = awaited
  const began = Date.now()
  let words = 'waiting for the server'
  let startedAt: number | undefined
  using _ = showingProgress(terminal, () => `${name} ${version}: ${words}`)
  for (;;) {
    const plugin = await findPlugin(client, name)
    if (!plugin) throw new CommandFault(`${name} is no longer there`, { next: 'pergola plugin list' })
    if (!plugin.spec.enabled) return 'it is disabled, and not started'
    refuseFailed(plugin, awaited)
    const here = (plugin.status?.replicas ?? []).filter((replica) => replica.digest === digest)
    const started = here.filter((replica) => replica.phase === 'Started' && (replica.restarts ?? 0) >= restarts)
    const isThere = plugin.spec.digest === digest && here.length > 0 && started.length === here.length
    words = isThere ? `started on ${started.length} of ${here.length}` : waitingWords(plugin)
    startedAt = isThere ? (startedAt ?? Date.now()) : undefined
    if (startedAt !== undefined && Date.now() - startedAt >= settledMs) return words
    if (Date.now() - began > seconds * 1_000) {
      throw new CommandFault(`${name} ${version} is not started after ${seconds} s: ${words}`, {
        next: `pergola plugin show ${name}`,
      })
    }
    await sleep(lookMs)
  }
}

function waitingWords({ status, spec }: PluginObject): string {
  if (spec.candidate && status?.upgrade) return status.upgrade.message ?? status.upgrade.phase
  return status?.message ?? stateWords(status ?? {})
}

function refuseFailed({ status, spec }: PluginObject, { name, version, digest, restarts = 0 }: Awaited): void {
  const { upgrade } = status ?? {}
  const hasGivenUp = spec.digest !== digest && spec.candidate?.digest !== digest
  if (hasGivenUp && upgrade?.phase === 'Failed' && upgrade.to === version) {
    throw new CommandFault(
      `${name} stays at ${spec.version}: ${visibleLines(upgrade.message ?? 'the upgrade failed')}`,
      {
        next: `pergola plugin logs ${name}`,
      },
    )
  }
  const failed = (status?.replicas ?? []).find(
    (replica) =>
      replica.digest === digest &&
      (replica.restarts ?? 0) >= restarts &&
      (replica.phase === 'Failed' || hopeless.has(replica.reason ?? '')),
  )
  if (!failed || spec.digest !== digest) return
  throw new CommandFault(
    `${name} ${version} is ${stateWords(failed)}: ${visibleLines(failed.message ?? 'unknown reason')}`,
    {
      next: `pergola plugin logs ${name}`,
    },
  )
}
