import type { Authorize } from '../access/decisions/authorize.ts'
import type { AssembledPlugins } from './assemble-plugins.ts'
import type { Answer, Caller, Handler, IncomingRequest } from '../call/call.ts'
import type { Clock } from '../base/clock.ts'
import type { HostRoute } from '../call/host-route.ts'
import { hostVersion } from '../base/host-version.ts'
import type { Log } from '../base/log.ts'
import type { AccessSource } from '../access/access-source.ts'
import type { OidcProvider } from '../config/oidc-provider.ts'
import { missingRoles } from '../host-api/oidc/mapped-roles.ts'
import type { Replica } from '../base/replica.ts'
import { createTraffic } from '../base/traffic.ts'
import { createConsoleEndpoints } from '../console/console-endpoints.ts'
import { overviewRoutes } from '../console/overview-routes.ts'
import { consoleFolder, readConsole } from '../console/read-console.ts'
import { createDiscovery } from '../discovery/discovery-endpoints.ts'
import { seeOther } from '../host-api/sign-in/see-other.ts'
import { wantsPage } from '../host-api/sign-in/sign-in-page.ts'
import { HealthFault, createHealth, detailsPath, type Finding, type HealthCheck } from '../http/health.ts'
import type { Model } from '../models/model.ts'
import type { SecretKeys } from '../models/secrets/secret-keys.ts'
import type { Stages } from '../pipeline.ts'
import type { DatabaseHealth } from '../store/database-health.ts'
import type { Store } from '../store/store.ts'
import type { SchemaWatch } from '../store/watch-schema.ts'

interface PageParts extends HealthParts {
  readonly clock: Clock
  readonly log: Log
  readonly authorize: Authorize
  readonly models: () => readonly Model[]
  /** The endpoints of all other parts. */
  readonly hostRoutes: readonly HostRoute[]
  /** The number of open watches on this replica. */
  readonly openWatches: () => number
  /** As configured. */
  readonly publicUrl: string | undefined
}

export interface AssembledPages {
  /** All endpoints of the host. */
  readonly hostRoutes: readonly HostRoute[]
  /** Health checks and the redirect to the console, answered before authentication. */
  readonly early: Stages['early']
  /** Documents and files at non-resource paths. */
  readonly page: (path: string) => Handler | undefined
  readonly onAnswered: (ms: number, failed: boolean) => void
}

/** Health, documents and the console, for people and operators. */
export function assemblePages({
  clock,
  log,
  authorize,
  models,
  hostRoutes: others,
  openWatches,
  publicUrl,
  ...parts
}: PageParts): AssembledPages {
  const { plugins } = parts
  const knowsCallers = () => parts.database.isReadable()
  const details = { kind: 'non-resource', verb: 'get', path: detailsPath } as const
  const maySeeDetails = async (caller: Caller) => (await authorize(caller, details)).allowed
  const health = createHealth({
    checks: createHealthChecks(parts),
    knowsCallers,
    maySeeDetails,
    log,
  })
  const consolePages = createConsoleEndpoints({ files: readConsole(consoleFolder), publicUrl })
  const traffic = createTraffic(clock)
  const overview = overviewRoutes({ traffic, watches: openWatches, check: () => health.look() })
  const hostRoutes = [...others, ...overview, ...health.routes]
  const discovery = createDiscovery({ models, customApis: plugins.supervisor.customApis, hostRoutes })
  return {
    onAnswered: (ms: number, failed: boolean) => traffic.record(ms, failed),
    hostRoutes,
    early: (request) => health.early(request) ?? openConsole(request),
    page: (path) => discovery(path) ?? consolePages(path) ?? plugins.pages(path),
  }
}

/** Redirects a browser at `/` to the console, and one at a page with a slash at its end to the page; programs get an error. */
function openConsole(request: IncomingRequest): Promise<Answer> | undefined {
  if (request.method !== 'GET' || !wantsPage(request)) return undefined
  const [path = '', ...query] = request.target.split('?')
  if (path === '/') return Promise.resolve(seeOther('/console', []))
  if (!/^\/console\/[!-~]*[!-.0-~]\/$/.test(path)) return undefined
  return Promise.resolve(seeOther([path.slice(0, -1), ...query].join('?'), []))
}

interface HealthParts {
  readonly store: Store
  readonly replica: Replica
  readonly database: DatabaseHealth
  readonly schema: Pick<SchemaWatch, 'number'>
  readonly secretKeys: Pick<SecretKeys, 'describe'>
  readonly providers: readonly OidcProvider[]
  readonly access: Pick<AccessSource, 'hasRole'>
  readonly feedState?: () => string
  readonly listener: { readonly draining: boolean }
  readonly plugins: AssembledPlugins
}

function createHealthChecks(parts: HealthParts): readonly HealthCheck[] {
  const { store, replica, database, schema, secretKeys, providers, access, feedState, listener, plugins } = parts
  return [
    {
      name: 'accepting',
      check: async () => {
        if (listener.draining) throw new HealthFault({ code: 'stopping', values: {} }, 'the server is stopping')
        const values = { version: hostVersion, replica: replica.name }
        return { code: 'accepting', values, detail: `requests, by version ${hostVersion}, replica ${replica.name}` }
      },
    },
    {
      name: 'database',
      check: async () => {
        const trouble = database.trouble()
        if (trouble !== undefined) throw new Error(trouble)
        const values = { store: store.description, schema: schema.number(), details: store.details() }
        const words = [values.store, `schema ${values.schema}`, values.details].filter((one) => one !== '')
        return { code: 'database', values, detail: words.join(', ') }
      },
      isLogged: false,
    },
    // Never fails: a missing key makes only requests for those secrets 503.
    { name: 'secrets', check: async () => secretKeys.describe() },
    // Never fails: other roles and other ways to sign in still work.
    ...(providers.length > 0 ? [{ name: 'oidc', check: async () => providerFinding(providers, access) }] : []),
    // Never fails: this replica serves requests with either transport.
    ...(feedState ? [{ name: 'feed', check: async () => feedFinding(feedState()) }] : []),
    {
      name: 'plugins',
      check: async () => {
        const { accounts, isStarting } = plugins
        if (isStarting()) {
          throw new HealthFault({ code: 'plugins-starting', values: {} }, 'still starting (plugins.startGrace)')
        }
        const { isolation, isRoot, description } = accounts
        return { code: 'plugins', values: { isolation, root: isRoot ? 'yes' : 'no' }, detail: description }
      },
    },
  ]
}

function providerFinding(providers: HealthParts['providers'], { hasRole }: HealthParts['access']): Finding {
  const roles = missingRoles(providers, hasRole)
  if (roles.length > 0) {
    const detail = `roles in oidc.providers do not exist: ${roles.join(', ')}`
    return { code: 'oidc-roles-missing', values: { roles }, detail }
  }
  const names = providers.map(({ name }) => name)
  return { code: 'oidc', values: { providers: names }, detail: `providers ${names.join(', ')}; their roles exist` }
}

function feedFinding(state: string): Finding {
  return { code: 'feed', values: { state }, detail: state }
}
