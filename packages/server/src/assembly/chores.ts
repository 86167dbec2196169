import type { AccessSource } from '../access/access-source.ts'
import type { CheckedCache } from '../base/checked-cache.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../base/log.ts'
import type { OidcProvider } from '../config/oidc-provider.ts'
import { missingRoles } from '../host-api/oidc/mapped-roles.ts'
import { forgetExpired } from '../credentials/forget-expired.ts'
import type { Feed } from '../feed/feed.ts'
import { startSelfCheck } from '../feed/self-check.ts'
import { removeExpiredRoles } from '../access/remove-expired-roles.ts'
import type { AccessModels } from '../access/access-models.ts'
import { reportMissingDependencies } from '../access/report-missing-dependencies.ts'
import type { Store } from '../store/store.ts'

const everyMs = 60_000
const hourMs = 3_600_000

interface RemovalParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  readonly accessModels: AccessModels
  readonly feed: Feed
  readonly maxAgeMs: number
}

export interface ChoreParts extends RemovalParts {
  readonly caches: readonly CheckedCache[]
  readonly access: Pick<AccessSource, 'hasRole'>
  readonly providers: readonly OidcProvider[]
  /** Plugins have started, and with them their roles exist. */
  readonly ready: Promise<unknown>
}

/** Background work for as long as the server runs. */
export function startChores(parts: ChoreParts, running: AsyncDisposableStack): void {
  running.use(removeWhatIsOver(parts))
  running.use(reportMissingDependencies({ ...parts, roles: parts.accessModels.roles }))
  running.use(startSelfCheck(parts))
  void parts.ready.then(() => warnOfMissingRoles(parts))
}

function warnOfMissingRoles({ log, providers, access }: ChoreParts): void {
  const roles = missingRoles(providers, access.hasRole)
  if (roles.length > 0) log.warn({ roles }, 'oidc.providers gives roles that do not exist; create them, or correct it')
}

/** Removes old changes, expired credentials, and managed roles that no longer count. */
function removeWhatIsOver(parts: RemovalParts) {
  const { store, clock, log, config, feed, accessModels, maxAgeMs } = parts
  const { retention, maxBytes } = config.changelog
  let compacted = { number: -1, at: Number.NEGATIVE_INFINITY }
  const compact = async () => {
    const { number } = feed.position
    // Without new changes, compact only once an hour.
    if (number === compacted.number && clock.now() - compacted.at < hourMs) return
    await store.compact({ keepMs: retention * hourMs, maxBytes })
    compacted = { number, at: clock.now() }
  }
  const timer = setInterval(() => {
    const removed = [
      compact(),
      forgetExpired(store, clock),
      removeExpiredRoles({ store, clock, bindings: accessModels.bindings, maxAgeMs }),
    ]
    Promise.all(removed).catch((err: unknown) => {
      log.warn({ err }, 'failed to purge expired sessions and old changes; retrying in 60 s')
    })
  }, everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
