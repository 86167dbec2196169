import { isNamedCreate, maxPathSegments, requestInfo, type RequestInfo } from '@pergola/api'

/** A path segment: literal text or a parameter. */
export type Segment = { readonly literal: string } | { readonly parameter: string }

/** A path pattern, starting with `/apis`. */
export interface Pattern {
  readonly method: string
  readonly segments: readonly Segment[]
  readonly stream: boolean
}

/** `/apis/<group>/<version>` */
const baseLength = 3
const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const parameterForm = /^[A-Za-z][A-Za-z0-9_]*$/
/** Characters that need no escaping and are therefore identical in rules, paths and requests. */
const literalForm = /^[A-Za-z0-9._~-]+$/
/** Keys of a call's input that are not path parameters. */
const otherInput = new Set(['body', 'query'])

export function segmentsOf(path: string): readonly Segment[] {
  const parts = path.split('/').slice(1)
  return parts.map((part) => (part.startsWith(':') ? { parameter: part.slice(1) } : { literal: part }))
}

/** Formats the path as in OpenAPI: `/todos/{name}`. */
export function templateOf(segments: readonly Segment[]): string {
  return segments.map((segment) => ('literal' in segment ? `/${segment.literal}` : `/{${segment.parameter}}`)).join('')
}

/** Parses a request to this pattern, with a placeholder for each parameter. */
export function infoOf({ method, segments, stream }: Pattern): RequestInfo {
  const target = segments.map((segment) => `/${'literal' in segment ? segment.literal : 'any'}`).join('')
  return requestInfo({ method, target, headers: stream ? { accept: 'text/event-stream' } : {} })
}

/** True when the pattern is valid. Its faults are reported elsewhere. */
export function isReadable(pattern: Pattern): boolean {
  return pattern.segments.every((segment) => segmentFault(segment) === undefined) && pathFaults(pattern).length === 0
}

/** Faults in the part of the path after `/apis/<group>/<version>` that requests or rules could not match. */
export function pathFaults(pattern: Pattern): readonly string[] {
  const segments = pattern.segments.slice(baseLength)
  const parameters = segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []))
  const { method } = pattern
  const faults = [
    ...(methods.includes(method) ? [] : [`has the method "${method}"; there are ${methods.join(', ')}`]),
    ...segments.flatMap((segment) => segmentFault(segment) ?? []),
    ...parameters
      .filter((name, at) => parameters.indexOf(name) < at)
      .map((name) => `has the parameter ":${name}" twice; give each a name of its own`),
    ...parameters
      .filter((name) => otherInput.has(name))
      .map(
        (name) => `has the parameter ":${name}", which a call could not tell from its ${name}; give it another name`,
      ),
  ]
  const { length } = pattern.segments
  if (length > maxPathSegments) {
    faults.push(
      `has ${length} segments with group and version; at most ${maxPathSegments} are served, pass the rest in the query`,
    )
  }
  return faults.length > 0 ? faults : ruleFaults(pattern)
}

function segmentFault(segment: Segment): string | undefined {
  if ('parameter' in segment) {
    if (segment.parameter.includes('*'))
      return 'has a wildcard; a path has a parameter for each segment, such as ":name"'
    if (parameterForm.test(segment.parameter)) return undefined
    return `has the parameter ":${segment.parameter}"; its name must begin with a letter and contain only letters, digits and "_"`
  }
  const { literal } = segment
  if (literal === '') return 'has an empty segment; write single slashes and none at the end'
  if (literal.includes('*')) return 'has a wildcard; a path has a parameter for each segment, such as ":name"'
  if (literal.startsWith('{')) return `has the segment "${literal}"; write ":${literal.replaceAll(/[{}]/g, '')}"`
  if (literal === '.' || literal === '..') return `has the segment "${literal}"; write the path out`
  if (literalForm.test(literal)) return undefined
  return `has the segment "${literal}", which would have to be escaped; use letters, digits, "-", ".", "_" and "~"`
}

/** Rules name resource and sub-resource, so neither can be a parameter. */
function ruleFaults(pattern: Pattern): readonly string[] {
  const [, , , resource, , subresource] = pattern.segments
  if (!resource || 'parameter' in resource)
    return ['must begin with the name of a resource, since that is what rules are about: "/todos/..."']
  if (!pattern.segments.every((segment) => segmentFault(segment) === undefined)) return []
  const info = infoOf(pattern)
  if (info.kind === 'resource' && subresource && 'parameter' in subresource) {
    return [`has the parameter ":${subresource.parameter}" as a sub-resource, which no rule could name; write it out`]
  }
  if (isNamedCreate(info)) {
    return ['creates under a name, which is never served; POST to the collection, or to a sub-resource of the name']
  }
  return []
}
