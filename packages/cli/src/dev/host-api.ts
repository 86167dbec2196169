import { setTimeout as sleep } from 'node:timers/promises'
import type { FieldError, RequestInfo } from '@pergola/api'
import type { VersionState, VersionStates } from './version-states.ts'

const core = '/api/v1alpha1'
const packages = '/apis/console.api.platform.run/v1alpha1/plugins/-/packages'
export const pluginsPath = '/apis/plugin.platform.run/v1alpha1/plugins'
const reviews = '/apis/api.platform.run/v1alpha1/accessreviews'
/** Polling interval. The host reports a started version; a failed one is found by polling. */
const lookMs = 100

/** A package to install. */
export interface SentPackage {
  readonly name: string
  readonly version: string
  readonly digest: string
  readonly bytes: Buffer
}

/** An error response of the host, with its message. */
export class HostRefusal extends Error {
  readonly reason: string | undefined
  readonly errors: readonly FieldError[]

  constructor(
    message: string,
    { reason, errors = [] }: { reason?: string | undefined; errors?: readonly FieldError[] },
  ) {
    super(message)
    this.reason = reason
    this.errors = errors
  }
}

/** Result of an access review. */
export interface Review {
  readonly allowed: boolean
  readonly text: string
  /** Role templates that would allow the request, best first. */
  readonly templates?: readonly string[]
}

/** Administrator actions on the host, through the administrators' API. */
export interface HostApi {
  /** Installs a package with these approvals. */
  install(sent: SentPackage, approved: readonly string[]): Promise<void>
  /** Waits until the package is started; throws `HostRefusal` when it fails. */
  untilStarted(sent: SentPackage, signal: AbortSignal): Promise<void>
  review(user: string, request: RequestInfo): Promise<Review | undefined>
  /** Returns false when the object already exists. */
  create(path: string, object: unknown): Promise<boolean>
  /** Collection paths by `<apiVersion> <kind>`. */
  collections(): Promise<ReadonlyMap<string, string>>
  addUser(name: string): Promise<void>
  /** True when plugins of an earlier run are installed. */
  hasPlugins(): Promise<boolean>
}

interface Asked {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly type?: string
  readonly body?: string | Buffer<ArrayBuffer>
}

export interface HostAddress {
  readonly url: string
  /** Returns the administrator's current token. */
  readonly token: () => string
  /** Version states that the host has reported. */
  readonly states: Pick<VersionStates, 'of' | 'next'>
}

export function createHostApi({ url, token, states }: HostAddress): HostApi {
  const ask = async ({ method, path, type = 'application/json', body }: Asked): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token()}`, ...(body !== undefined && { 'content-type': type }) }
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) })
    const said = (await answer.json()) as { detail?: string; reason?: string; errors?: readonly FieldError[] }
    if (!answer.ok) throw new HostRefusal(said.detail ?? `the host answers ${answer.status}`, said)
    return said
  }
  const post = (path: string, body: unknown) => ask({ method: 'POST', path, body: JSON.stringify(body) })
  const create = async (path: string, object: unknown) => {
    try {
      await post(path, object)
      return true
    } catch (error) {
      if (error instanceof HostRefusal && error.reason === 'AlreadyExists') return false
      throw error
    }
  }
  return {
    create,
    install: async ({ bytes }, approved) => {
      const query = new URLSearchParams(approved.map((name): [string, string] => ['approve', name]))
      const path = `${packages}?${String(query)}`
      await ask({ method: 'POST', path, type: 'application/gzip', body: Buffer.from(bytes) })
    },
    untilStarted: async (sent, signal) => {
      while (states.of(sent.digest)?.phase !== 'Started') {
        signal.throwIfAborted()
        const plugin = (await ask({ method: 'GET', path: `${pluginsPath}/${sent.name}` })) as InstalledPlugin
        refuseFailed(plugin, sent, states.of(sent.digest))
        await Promise.race([states.next(), sleep(lookMs)])
      }
    },
    review: async (user, request) => {
      const { items } = (await post(reviews, { user, requests: [reviewed(request)] })) as { items: readonly Review[] }
      return items[0]
    },
    collections: async () => {
      const { groups } = (await ask({ method: 'GET', path: '/apis' })) as Discovery
      const entries = groups.flatMap(({ name: group, versions }) =>
        versions.flatMap(({ name, path, models }) =>
          models.map(
            ({ kind, plural }) => [`${group === '' ? '' : `${group}/`}${name} ${kind}`, `${path}/${plural}`] as const,
          ),
        ),
      )
      return new Map(entries)
    },
    hasPlugins: async () => {
      const { items } = (await ask({ method: 'GET', path: pluginsPath })) as { items: readonly InstalledPlugin[] }
      return items.some(({ spec }) => spec.enabled)
    },
    addUser: async (name) => void (await create(`${core}/users`, { metadata: { name } })),
  }
}

interface InstalledPlugin {
  readonly spec: {
    readonly digest: string
    readonly enabled?: boolean
    readonly candidate?: { readonly digest: string }
  }
  readonly status?: {
    readonly upgrade?: { readonly to: string; readonly phase: string; readonly message?: string }
  }
}

interface Discovery {
  readonly groups: readonly {
    readonly name: string
    readonly versions: readonly {
      readonly name: string
      readonly path: string
      readonly models: readonly { readonly kind: string; readonly plural: string }[]
    }[]
  }[]
}

/** Throws `HostRefusal` when the sent version cannot start. */
export function refuseFailed(
  { spec, status = {} }: InstalledPlugin,
  { digest, version }: Pick<SentPackage, 'digest' | 'version'>,
  state: VersionState | undefined,
): void {
  const { upgrade } = status
  if (spec.candidate?.digest === digest) return
  if (spec.digest !== digest) {
    // The candidate was removed; the host stores the reason right after.
    if (upgrade?.to === version && upgrade.phase === 'Failed') refuse(upgrade)
    return
  }
  if (state && (state.phase === 'Failed' || lasting.has(state.reason))) refuse(state)
}

function refuse({ message = 'it cannot be started' }: { readonly message?: string }): never {
  throw new HostRefusal(message, {})
}

/** Reasons that persist until the plugin is changed. */
const lasting = new Set<string | undefined>(['BackingOff', 'DuplicateValues'])

/** Converts a request for an access review. */
function reviewed(request: RequestInfo): object {
  if (request.kind === 'non-resource') return { verb: request.verb, path: request.path }
  const { verb, group, resource, subresource, name } = request
  return {
    verb,
    group,
    resource,
    ...(subresource !== undefined && { subresource }),
    ...(name !== undefined && { name }),
  }
}
