import type { DevelopOptions } from '@pergola/server'

/** State of a version, as the host reports it. */
export type VersionState = Parameters<DevelopOptions['onPluginState']>[2]

/** States of versions by digest since the host started. */
export interface VersionStates {
  tell(plugin: string, digest: string, state: VersionState): void
  of(digest: string): VersionState | undefined
  /** Resolves on the next report about any version. */
  next(): Promise<void>
}

export function createVersionStates(): VersionStates {
  const states = new Map<string, { readonly plugin: string; readonly state: VersionState }>()
  let waiting = Promise.withResolvers<void>()
  return {
    tell: (plugin, digest, state) => {
      // A started version replaces the others, so their states are outdated.
      if (state.phase === 'Started') {
        for (const [other, known] of states) if (known.plugin === plugin) states.delete(other)
      }
      states.set(digest, { plugin, state })
      waiting.resolve()
      waiting = Promise.withResolvers<void>()
    },
    of: (digest) => states.get(digest)?.state,
    next: () => waiting.promise,
  }
}
