import type { DevelopOptions } from '@pergola/server'

/** As the host says it of a version on its way. */
export type VersionState = Parameters<DevelopOptions['onPluginState']>[2]

/** What has become of versions, by their digests, since the host began. */
export interface VersionStates {
  tell(plugin: string, digest: string, state: VersionState): void
  of(digest: string): VersionState | undefined
  /** Resolves with the next word about any of them. */
  next(): Promise<void>
}

export function createVersionStates(): VersionStates {
  const states = new Map<string, { readonly plugin: string; readonly state: VersionState }>()
  let waiting = Promise.withResolvers<void>()
  return {
    tell: (plugin, digest, state) => {
      // Who has come to answer has taken the place of the others: what they were once says nothing of what they are.
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
