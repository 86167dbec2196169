import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrapAdministrator, createAuthenticate } from './authn/authenticate.ts'
import { createAuthorize, type HeldRole, type RoleSource } from './authz/authorize.ts'
import { systemClock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import type { Log } from './base/log.ts'
import { createDispatch } from './dispatch/dispatch.ts'
import { createReadyz, livez, type HealthCheck } from './http/health.ts'
import { listen } from './http/listener.ts'
import { createModel, createModelRegistry } from './models/model.ts'
import { createPipeline } from './pipeline.ts'
import { builtInRoles } from './platform/built-in-roles.ts'
import { roleModel } from './platform/role-model.ts'
import { seedRoles } from './platform/seed-roles.ts'
import { openStore } from './store/open-store.ts'

/** A statement that does not end must not keep the process from ending. */
const storeCloseMs = 2_000
/** How often old changes are looked for. */
const compactEveryMs = 60_000

export interface AssembleOptions {
  readonly config: Config
  readonly administratorToken: string
  readonly log: Log
}

export interface Server {
  readonly url: string
  readonly database: string
  /** Stops without cutting a request that ends in time; answers how many did not. */
  close(): Promise<number>
}

/** The only place that knows all parts. */
export async function assemble({ config, administratorToken, log }: AssembleOptions): Promise<Server> {
  const store = await openStore({
    ...config.database,
    onConnectionLost: (err) => log.warn({ err }, 'a database connection was lost'),
  })
  try {
    const clock = systemClock
    const roles = createModel(roleModel)
    await store.openModel({ group: roles.group, plural: roles.plural, indexes: [] })
    await seedRoles({ store, clock }, roles, builtInRoles)

    const checks: HealthCheck[] = [
      {
        name: 'accepting',
        check: async () => {
          if (listener.draining) throw new Error('the server is stopping')
          return 'requests'
        },
      },
      { name: 'database', check: () => store.ping().then(() => store.description) },
    ]
    const handle = createPipeline({
      authenticate: createAuthenticate(administratorToken),
      authorize: createAuthorize(builtInRoleSource),
      dispatch: createDispatch({
        store,
        clock,
        models: createModelRegistry([roles]),
        endpoints: new Map([
          ['/livez', livez],
          ['/readyz', createReadyz(checks, log)],
        ]),
      }),
    })
    const listener = await listen({ host: config.server.host, port: config.server.port, log, handle })
    const { retention, maxBytes } = config.changelog
    const compaction = setInterval(() => {
      store.compact({ keepMs: retention * 3_600_000, maxBytes }).catch((err: unknown) => {
        log.warn({ err }, 'old changes could not be removed; it is tried again every minute')
      })
    }, compactEveryMs)
    return {
      url: listener.url,
      database: store.description,
      close: async () => {
        const { stopDelay, drainTimeout } = config.server
        const cut = await listener.close({ delayMs: stopDelay * 1000, timeoutMs: drainTimeout * 1000 })
        if (cut > 0) log.warn({ cut, seconds: drainTimeout }, 'requests were still running and have been cut')
        clearInterval(compaction)
        await Promise.race([store[Symbol.asyncDispose](), sleep(storeCloseMs, undefined, { ref: false })])
        return cut
      },
    }
  } catch (error) {
    await store[Symbol.asyncDispose]()
    throw error
  }
}

/** Nobody can be bound to a role yet: the administrator holds one, everybody else is anonymous. */
const builtInRoleSource: RoleSource = {
  rolesOf: (caller) => {
    if (caller.kind === 'anonymous') return [roleNamed('anonymous')]
    const own = caller.name === bootstrapAdministrator ? [roleNamed('super-administrator')] : []
    return [roleNamed('anonymous'), roleNamed('authenticated'), ...own]
  },
}

function roleNamed(name: string): HeldRole {
  const role = builtInRoles.find((candidate) => candidate.name === name)
  if (!role) throw new Error(`there is no built-in role ${name}`)
  return role
}
