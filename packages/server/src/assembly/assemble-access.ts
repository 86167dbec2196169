import { createAccessModels, type AccessModels } from '../access/access-models.ts'
import { createAccessSource, type AccessSource } from '../access/access-source.ts'
import { createAuthorize, type Authorize } from '../access/decisions/authorize.ts'
import { createCountsUntil } from '../access/managed-binding.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import type { OidcProvider } from '../config/oidc-provider.ts'
import { createKnownCredentials, type KnownCredentials } from '../credentials/known-credentials.ts'
import { createSessions, type Sessions } from '../credentials/sessions.ts'
import type { Feed } from '../feed/feed.ts'
import { createKnownPlugins, type KnownPlugins } from '../plugins/run/known-plugins.ts'
import type { Store } from '../store/store.ts'

interface AccessParts {
  readonly store: Store
  readonly clock: Clock
  readonly feed: Feed
  readonly config: Pick<Config, 'sessions'>
  readonly providers: readonly OidcProvider[]
  /** How long roles of a provider count without a sign-in. */
  readonly maxAgeMs: number
}

export interface AssembledAccess {
  readonly access: AccessSource
  readonly authorize: Authorize
  readonly accessModels: AccessModels
  readonly known: KnownPlugins
  readonly sessions: Sessions
  readonly credentials: KnownCredentials
  /** Reads plugins and roles. */
  start(): Promise<void>
}

/** Who is who, and who may do what. */
export function assembleAccess(parts: AccessParts, running: AsyncDisposableStack): AssembledAccess {
  const { store, clock } = parts
  const known = running.use(createKnownPlugins(parts))
  const countsUntil = createCountsUntil(parts)
  const access = running.use(createAccessSource({ ...parts, countsUntil, claims: known.claims }))
  const { idleTimeout, maxAge } = parts.config.sessions
  const sessions = createSessions(store, clock, { idleMs: idleTimeout * 1000, mostMs: maxAge * 1000 })
  const credentials = running.use(createKnownCredentials({ ...parts, sessions }))
  return {
    access,
    authorize: createAuthorize(access),
    accessModels: createAccessModels({ store, clock, rights: access }),
    known,
    sessions,
    credentials,
    start: async () => {
      await known.start()
      await access.start()
    },
  }
}
