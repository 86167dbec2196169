import { bootstrapAdministrator, createAuthenticate } from './authn/authenticate.ts'
import { createAuthorize, type HeldRole, type RoleSource } from './authz/authorize.ts'
import { systemClock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import type { Log } from './base/log.ts'
import { createDispatch } from './dispatch/dispatch.ts'
import { createReadyz, livez } from './http/health.ts'
import { listen } from './http/listener.ts'
import { createModel, createModelRegistry } from './models/model.ts'
import { createPipeline } from './pipeline.ts'
import { builtInRoles } from './platform/built-in-roles.ts'
import { roleModel } from './platform/role-model.ts'
import { seedRoles } from './platform/seed-roles.ts'
import { openStore } from './store/open-store.ts'

export interface AssembleOptions {
  readonly config: Config
  readonly administratorToken: string
  readonly log: Log
}

export interface Server {
  readonly url: string
  readonly database: string
  /** Answers how many requests had to be cut at the deadline. */
  close(): Promise<number>
}

/** The only place that knows all parts. */
export async function assemble({ config, administratorToken, log }: AssembleOptions): Promise<Server> {
  const store = await openStore({
    url: config.database.url,
    onConnectionLost: (err) => log.warn({ err }, 'a database connection was lost'),
  })
  try {
    const clock = systemClock
    const roles = createModel(roleModel)
    await seedRoles({ store, clock }, roles, builtInRoles)

    const readyz = createReadyz([
      {
        name: 'accepting',
        check: async () => {
          if (listener.draining) throw new Error('the server is stopping')
          return 'requests'
        },
      },
      { name: 'database', check: () => store.ping().then(() => store.description) },
    ])
    const handle = createPipeline({
      authenticate: createAuthenticate(administratorToken),
      authorize: createAuthorize(builtInRoleSource),
      dispatch: createDispatch({
        store,
        clock,
        models: createModelRegistry([roles]),
        pages: new Map([
          ['/livez', livez],
          ['/readyz', readyz],
        ]),
      }),
    })
    const listener = await listen({ host: config.server.host, port: config.server.port, log, handle })
    return {
      url: listener.url,
      database: store.description,
      close: async () => {
        const cut = await listener.close(config.server.drainTimeout * 1000)
        await store[Symbol.asyncDispose]()
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
