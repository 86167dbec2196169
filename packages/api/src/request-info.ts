import { ApiError } from './problem.ts'
import type { Verb } from './rules.ts'

/** The part of a request that decides what it is. */
export interface RequestHead {
  readonly method: string
  /** The request target as it came: still percent-encoded, query included. */
  readonly target: string
  readonly headers: { readonly accept?: string | undefined; readonly upgrade?: string | undefined }
}

/** `/api/<version>/<resource>[/<name>[/<subresource>]]`, or the same below `/apis/<group>`. */
export interface ResourceRequest {
  readonly kind: 'resource'
  readonly verb: Verb
  /** Decoded, no trailing slash. */
  readonly path: string
  /** Empty for the core group below `/api`. */
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly name?: string
  readonly subresource?: string
}

/** Any other path. */
export interface NonResourceRequest {
  readonly kind: 'non-resource'
  readonly verb: Verb
  readonly path: string
}

export type RequestInfo = ResourceRequest | NonResourceRequest

/** Deeper paths than this exist nowhere: no rule could name them. */
export const maxPathSegments = 7

const knownMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE'

/**
 * Reads what a request asks for from its method, path and headers alone. Authorization, dispatch and the rules a
 * plugin's build infers all rest on this one answer, so nothing later looks at the path again.
 *
 * Throws `BadRequest` for a path that could be read in two ways, `NotFound` beyond seven segments and
 * `MethodNotAllowed` for a method that is no verb.
 */
export function requestInfo(head: RequestHead): RequestInfo {
  const segments = pathSegments(head.target === consoleAsTyped ? '/console' : head.target)
  if (segments.length > maxPathSegments) {
    throw new ApiError('NotFound', `the path has ${segments.length} segments; no path has more than ${maxPathSegments}`)
  }
  const path = `/${segments.join('/')}`
  const address = resourceAddress(segments)
  if (!address) return { kind: 'non-resource', verb: nonResourceVerb(head), path }
  return { kind: 'resource', verb: resourceVerb(head, address.name !== undefined), path, ...address }
}

/**
 * `POST <plural>/<name>`: creating takes the collection, so this is answered 405 before anybody is asked for rights.
 * With a sub-resource it is an ordinary create.
 */
export function isNamedCreate(info: RequestInfo): boolean {
  return info.kind === 'resource' && info.verb === 'create' && info.name !== undefined && info.subresource === undefined
}

/** People type a slash behind it, and it is no path of the API: here it can only mean one thing. */
const consoleAsTyped = '/console/'

type ResourceAddress = Omit<ResourceRequest, 'kind' | 'verb' | 'path'>

function resourceAddress(segments: readonly string[]): ResourceAddress | undefined {
  const [root, ...rest] = segments
  if (root === 'api') return addressBelow('', rest)
  if (root !== 'apis') return undefined
  const [group, ...below] = rest
  return group === undefined ? undefined : addressBelow(group, below)
}

function addressBelow(group: string, segments: readonly string[]): ResourceAddress | undefined {
  const [version, resource, name, subresource] = segments
  if (version === undefined || resource === undefined || segments.length > 4) return undefined
  return {
    group,
    version,
    resource,
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  }
}

function resourceVerb(head: RequestHead, named: boolean): Verb {
  switch (head.method) {
    case 'GET':
      if (asksForStream(head)) return 'watch'
      return named ? 'get' : 'list'
    case 'HEAD':
      return named ? 'get' : 'list'
    case 'DELETE':
      return named ? 'delete' : 'deletecollection'
    default:
      return nonResourceVerb(head)
  }
}

function nonResourceVerb(head: RequestHead): Verb {
  switch (head.method) {
    case 'GET':
      return asksForStream(head) ? 'watch' : 'get'
    case 'HEAD':
      return 'get'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
    default:
      throw new ApiError('MethodNotAllowed', `the method ${head.method} is not served; use one of ${knownMethods}`, {
        headers: { allow: knownMethods },
      })
  }
}

/** A WebSocket upgrade, or an `Accept` that names event streams itself: a wildcard asks for anything, not for a stream. */
export function asksForStream({ headers }: Pick<RequestHead, 'headers'>): boolean {
  const protocols = headers.upgrade?.split(',') ?? []
  if (protocols.some((protocol) => protocol.trim().toLowerCase() === 'websocket')) return true
  return headers.accept?.split(',').some(namesEventStream) ?? false
}

function namesEventStream(range: string): boolean {
  const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
}

/** In absolute form, as a proxy may send it, the path begins behind the host. */
export function localTarget(target: string): string {
  return /^https?:\/\//i.test(target) ? target.replace(/^https?:\/\/[^/?#]*/i, '') || '/' : target
}

function pathSegments(target: string): string[] {
  const local = localTarget(target)
  const query = local.indexOf('?')
  const path = query < 0 ? local : local.slice(0, query)
  if (!path.startsWith('/')) throw new ApiError('BadRequest', 'the path must start with "/"')
  // A backslash is a slash to some who read addresses.
  if (!/^[\x21-\x7e]*$/.test(path) || /[#\\]/.test(path)) {
    throw new ApiError('BadRequest', 'the path holds characters that must be percent-encoded')
  }
  if (path === '/') return []
  return path.slice(1).split('/').map(decodeSegment)
}

function decodeSegment(encoded: string): string {
  if (encoded === '')
    throw new ApiError('BadRequest', 'the path has an empty segment; write single slashes and none at the end')
  const segment = encoded.includes('%') ? decoded(encoded) : encoded
  if (segment === '.' || segment === '..')
    throw new ApiError('BadRequest', 'the path has a "." or ".." segment; write the path out')
  if (segment.includes('/')) throw new ApiError('BadRequest', 'the path has an encoded "/" inside a segment')
  if (segment.includes('\0')) throw new ApiError('BadRequest', 'the path has an encoded NUL')
  return segment
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw new ApiError('BadRequest', `the path segment "${encoded}" is not percent-encoded UTF-8`)
  }
}
