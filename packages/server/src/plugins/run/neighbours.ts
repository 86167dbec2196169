import type { InstalledPlugin } from './known-plugins.ts'
import type { Dependencies } from '../plugin-model.ts'
import { isInRange } from '../package/versions.ts'

/** The other plugins on this replica, for those that depend on them. */
export interface Neighbours {
  /** An unmet dependency, preferably one that needs an operator; undefined when all are met. */
  unmet(dependencies: Dependencies): Unmet | undefined
  /** Resolves when dependencies may have changed. */
  changed(): Promise<void>
  /** Announces such a change. */
  tell(): void
}

interface Unmet {
  /** Describes the problem, and what to do. */
  readonly message: string
  /** Waiting does not help; an operator must act. */
  readonly isLasting: boolean
}

interface NeighbourParts {
  readonly installed: (name: string) => InstalledPlugin | undefined
  /** Whether the plugin is started on this replica. */
  readonly isStarted: (name: string) => boolean
}

export function createNeighbours({ installed, isStarted }: NeighbourParts): Neighbours {
  let next = Promise.withResolvers<void>()
  const unmetBy = (name: string, range: string): Unmet | undefined => {
    const needed = `it needs the plugin ${name} of ${range}`
    const lasting = (what: string) => ({ message: `${needed}, ${what}`, isLasting: true })
    const { spec } = installed(name) ?? {}
    if (!spec || spec.removal) return lasting('which is not installed; install it')
    if (!isInRange(spec.version, range)) return lasting(`and what is installed is ${spec.version}`)
    if (!spec.enabled) return lasting('which is disabled; enable it')
    return isStarted(name) ? undefined : { message: `${needed}, which is not started yet`, isLasting: false }
  }
  return {
    unmet: (dependencies) => {
      const all = Object.entries(dependencies).flatMap(([name, range]) => unmetBy(name, range) ?? [])
      return all.find(({ isLasting }) => isLasting) ?? all[0]
    },
    changed: () => next.promise,
    tell: () => {
      next.resolve()
      next = Promise.withResolvers()
    },
  }
}

interface Waiting {
  readonly signal: AbortSignal
  /** Called for the first unmet dependency, and again when that changes. */
  readonly onUnmet: (unmet: Unmet) => void
}

/** Waits until all dependencies are met, or the signal aborts. */
export async function untilMet(
  neighbours: Neighbours,
  dependencies: Dependencies = {},
  { signal, onUnmet }: Waiting,
): Promise<void> {
  let told: string | undefined
  await during(neighbours, signal, () => {
    const unmet = neighbours.unmet(dependencies)
    if (unmet && unmet.message !== told) onUnmet(unmet)
    told = unmet?.message
    return !unmet
  })
}

/** Waits until a dependency is permanently lost and returns its message; ignores a plugin that only restarts. */
export async function untilUnmet(
  neighbours: Neighbours,
  dependencies: Dependencies = {},
  signal: AbortSignal,
): Promise<string | undefined> {
  let gone: Unmet | undefined
  await during(neighbours, signal, () => {
    gone = neighbours.unmet(dependencies)
    return gone?.isLasting === true
  })
  return gone?.message
}

/** Checks the condition now and after every change, until it is true. */
async function during(neighbours: Neighbours, signal: AbortSignal, isSo: () => boolean): Promise<void> {
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  while (!signal.aborted && !isSo()) await Promise.race([neighbours.changed(), aborted])
}
