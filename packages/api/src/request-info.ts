import { ApiError } from './problem.ts'
import type { Verb } from './rules.ts'

/** The parts of a request that determine its verb and resource. */
export interface RequestHead {
  readonly method: string
  /** Raw request target: percent-encoded, with query. */
  readonly target: string
  readonly headers: { readonly accept?: string | undefined; readonly upgrade?: string | undefined }
}

/** `/api/<version>/<resource>[/<name>[/<subresource>]]`, or the same below `/apis/<group>`. */
export interface ResourceRequest {
  readonly kind: 'resource'
  readonly verb: Verb
  /** Decoded path without trailing slash. */
  readonly path: string
  /** API group; empty for the core group below `/api`. */
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly name?: string
  readonly subresource?: string
}

/** A request to any other path. */
export interface NonResourceRequest {
  readonly kind: 'non-resource'
  readonly verb: Verb
  readonly path: string
}

export type RequestInfo = ResourceRequest | NonResourceRequest

/** No served path is longer; rules cannot name longer ones. */
export const maxPathSegments = 7

const knownMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const collectionMethods = 'GET, HEAD, POST, DELETE'
const objectMethods = 'GET, HEAD, PUT, PATCH, DELETE'

/**
 * Determines verb and resource from method, path and headers alone. Authorization, dispatch and the rules that a plugin's build
 * infers all use this result; nothing parses the path again.
 *
 * Throws `BadRequest` for an ambiguous path, `NotFound` for more than seven segments and `MethodNotAllowed` for a method
 * without a verb.
 */
export function requestInfo(head: RequestHead): RequestInfo {
  const segments = pathSegments(head.target === consoleAsTyped ? '/console' : head.target)
  if (segments.length > maxPathSegments) {
    throw new ApiError('NotFound', `the path has ${segments.length} segments; no path has more than ${maxPathSegments}`)
  }
  const path = `/${segments.join('/')}`
  const address = resourceAddress(segments)
  if (!address) return { kind: 'non-resource', verb: verbOfMethod(head, knownMethods), path }
  return { kind: 'resource', verb: resourceVerb(head, address.name !== undefined), path, ...address }
}

/**
 * True for `POST <plural>/<name>`. Objects are created at the collection, so this is answered 405 before authorization. A POST
 * to a sub-resource is an ordinary create.
 */
export function isNamedCreate(info: RequestInfo): boolean {
  return info.kind === 'resource' && info.verb === 'create' && info.name !== undefined && info.subresource === undefined
}

/** Accepted with its trailing slash because people type it; no API path is affected. */
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
      return verbOfMethod(head, named ? objectMethods : collectionMethods)
  }
}

function verbOfMethod(head: RequestHead, allow: string): Verb {
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
      throw new ApiError('MethodNotAllowed', `the method ${head.method} is not served; use one of ${allow}`, {
        headers: { allow },
      })
  }
}

/** True for a WebSocket upgrade, or an `Accept` header that names `text/event-stream` itself; a wildcard does not count. */
export function asksForStream({ headers }: Pick<RequestHead, 'headers'>): boolean {
  const protocols = headers.upgrade?.split(',') ?? []
  if (protocols.some((protocol) => protocol.trim().toLowerCase() === 'websocket')) return true
  return headers.accept?.split(',').some(namesEventStream) ?? false
}

function namesEventStream(range: string): boolean {
  const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
}

/** Removes scheme and host from a target in absolute form, which proxies may send. */
export function localTarget(target: string): string {
  if (target.startsWith('/')) return target
  return /^https?:\/\//i.test(target) ? target.replace(/^https?:\/\/[^/?#]*/i, '') || '/' : target
}

function pathSegments(target: string): string[] {
  const local = localTarget(target)
  const query = local.indexOf('?')
  const path = query < 0 ? local : local.slice(0, query)
  if (!path.startsWith('/')) throw new ApiError('BadRequest', 'the path must start with "/"')
  // Some URL parsers read a backslash as a slash.
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
