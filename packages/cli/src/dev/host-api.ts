import { setTimeout as sleep } from 'node:timers/promises'
import type { FieldError, RequestInfo } from '@pergola/api'
import type { VersionState, VersionStates } from './version-states.ts'

const core = '/api/v1alpha1'
const packages = '/apis/console.api.platform.run/v1alpha1/plugins/-/packages'
export const pluginsPath = '/apis/plugin.platform.run/v1alpha1/plugins'
const reviews = '/apis/api.platform.run/v1alpha1/accessreviews'
/** That a version answers is told; that it does not is looked for. */
const lookMs = 100

/** What is sent, and what of it is to be known. */
export interface SentPackage {
  readonly name: string
  readonly version: string
  readonly digest: string
  readonly bytes: Buffer
}

/** The host does not take something, in its own words. */
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

/** Why somebody may not do something. */
export interface Review {
  readonly allowed: boolean
  readonly text: string
  /** Role templates that would allow it, the best first. */
  readonly templates?: readonly string[]
}

/** What an administrator does with the host, by the API that administrators have. */
export interface HostApi {
  /** With this approved, by name. */
  install(sent: SentPackage, approved: readonly string[]): Promise<void>
  /** Until the package answers; throws `HostRefusal` when another one does, or none. */
  untilStarted(sent: SentPackage, signal: AbortSignal): Promise<void>
  review(user: string, request: RequestInfo): Promise<Review | undefined>
  /** Answers whether it was not there. */
  create(path: string, object: unknown): Promise<boolean>
  /** Paths of collections, by `<apiVersion> <kind>`. */
  collections(): Promise<ReadonlyMap<string, string>>
  addUser(name: string): Promise<void>
  /** Whether something runs that was installed earlier. */
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
  /** Of the administrator; it may change. */
  readonly token: () => string
  /** What the host has said of versions. */
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

/** Throws `HostRefusal` when what was sent never comes to answer. */
export function refuseFailed(
  { spec, status = {} }: InstalledPlugin,
  { digest, version }: Pick<SentPackage, 'digest' | 'version'>,
  state: VersionState | undefined,
): void {
  const { upgrade } = status
  if (spec.candidate?.digest === digest) return
  if (spec.digest !== digest) {
    // The candidate is gone; why is written down right after.
    if (upgrade?.to === version && upgrade.phase === 'Failed') refuse(upgrade)
    return
  }
  if (state && (state.phase === 'Failed' || lasting.has(state.reason))) refuse(state)
}

function refuse({ message = 'it cannot be started' }: { readonly message?: string }): never {
  throw new HostRefusal(message, {})
}

/** Why a plugin is not started, and will not be unless it is changed. */
const lasting = new Set<string | undefined>(['BackingOff', 'DuplicateValues'])

/** As a review takes it. */
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
