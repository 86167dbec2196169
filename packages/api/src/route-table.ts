/** A route as definitions store it: `GET`, `/apis/.../todos/{name}/share`. */
interface RouteLine {
  readonly method: string
  readonly path: string
  /** A GET on this route has the verb `watch`. */
  readonly stream?: boolean
}

/** Routes of a plugin by method and path. Host and plugin use the same table, so both match a request to the same route. */
export interface RouteTable<Route extends RouteLine> {
  /** Returns the matching route, or the other routes at this path; undefined when no route has this path. */
  find(request: RoutedRequest): FoundRoute<Route> | OtherRoutes | undefined
}

export interface RoutedRequest {
  readonly method: string
  /** Percent-encoded path without query. */
  readonly path: string
  /** The verb is `watch`. Rules distinguish streams from other responses, so routes must too. */
  readonly isWatch: boolean
}

/** Routes at the path that do not match the request. */
export interface OtherRoutes {
  readonly methods: readonly string[]
  /** Set when the method matches but streaming does not: true when the route streams and the request did not ask for it. */
  readonly isStream?: boolean
}

export interface FoundRoute<Route extends RouteLine> {
  readonly route: Route
  /** Decoded path parameters. */
  readonly parameters: Readonly<Record<string, string>>
}

interface Pattern<Route> {
  readonly route: Route
  readonly segments: readonly Segment[]
}

type Segment = { readonly literal: string } | { readonly parameter: string }

/** Built once per plugin version. A literal segment takes precedence over a parameter. */
export function createRouteTable<Route extends RouteLine>(routes: readonly Route[]): RouteTable<Route> {
  const byLength = Map.groupBy(routes.map(patternOf).toSorted(literalFirst), ({ segments }) => segments.length)
  // Routes without parameters are more specific than all others, and need no matching.
  const exact = new Map(
    routes.filter(({ path }) => !/[{%]/.test(path)).map((route) => [exactKey(route), { route, parameters: {} }]),
  )
  return {
    find: ({ method, path, isWatch }) => {
      const known = exact.get(exactKey({ method: methodOf(method), path, stream: isWatch }))
      if (known) return known
      const words = wordsOf(path)
      if (!words) return undefined
      const fitting = (byLength.get(words.length) ?? []).filter(({ segments }) => fits(segments, words))
      const ofMethod = fitting.filter(({ route }) => route.method === methodOf(method))
      const found = ofMethod.find(({ route }) => route.method !== 'GET' || (route.stream ?? false) === isWatch)
      if (found) return { route: found.route, parameters: parametersOf(found.segments, words) }
      if (fitting.length === 0) return undefined
      const methods = [...new Set(fitting.map(({ route }) => route.method))]
      return ofMethod.length === 0 ? { methods } : { methods, isStream: !isWatch }
    },
  }
}

/** True when a request could match both routes and neither is more specific. */
export function routesClash(one: RouteLine, other: RouteLine): boolean {
  const isOtherVerb = one.method !== other.method || (one.method === 'GET' && !one.stream !== !other.stream)
  const [first, second] = [patternOf(one).segments, patternOf(other).segments]
  if (isOtherVerb || first.length !== second.length) return false
  const pairs = first.map((segment, at) => [segment, second[at] ?? segment] as const)
  if (!pairs.every(([a, b]) => 'parameter' in a || 'parameter' in b || a.literal === b.literal)) return false
  return pairs.some(([a, b]) => isExacter(a, b)) === pairs.some(([a, b]) => isExacter(b, a))
}

function isExacter(one: Segment, other: Segment): boolean {
  return 'literal' in one && 'parameter' in other
}

/** Only for GET, streams have routes of their own. */
function exactKey({ method, path, stream = false }: RouteLine): string {
  return `${method === 'GET' && stream ? 'watch' : method} ${path}`
}

/** HEAD uses the GET route. */
function methodOf(method: string): string {
  return method === 'HEAD' ? 'GET' : method
}

function patternOf<Route extends RouteLine>(route: Route): Pattern<Route> {
  const segments = route.path.split('/').map((segment): Segment => {
    const [, parameter] = /^\{(.+)\}$/.exec(segment) ?? []
    return parameter === undefined ? { literal: segment } : { parameter }
  })
  return { route, segments }
}

/** Error message for a request whose path has only other routes. */
export function otherRoutesWords({ method, path }: RoutedRequest, { methods, isStream }: OtherRoutes): string {
  if (isStream === undefined) return `${method} is not served at ${path}; allowed here: ${methods.join(', ')}`
  if (!isStream)
    return `${path} is not a stream: request it without "Accept: text/event-stream", and not as a WebSocket`
  return `${path} is a stream: request it with "Accept: text/event-stream", or as a WebSocket`
}

/** Sorts by the first segment that is literal in one route and a parameter in the other. */
function literalFirst({ segments: one }: Pattern<unknown>, { segments: other }: Pattern<unknown>): number {
  const at = one.findIndex((segment, place) => 'literal' in segment !== 'literal' in (other[place] ?? segment))
  if (at < 0) return 0
  return 'literal' in (one[at] ?? {}) ? -1 : 1
}

/** Decodes the segments; undefined when one is not valid percent-encoded UTF-8. */
function wordsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map((segment) => (segment.includes('%') ? decodeURIComponent(segment) : segment))
  } catch {
    return undefined
  }
}

function fits(segments: readonly Segment[], words: readonly string[]): boolean {
  return segments.every((segment, at) => ('literal' in segment ? segment.literal === words[at] : words[at] !== ''))
}

function parametersOf(segments: readonly Segment[], words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    segments.flatMap((segment, at) => ('parameter' in segment ? [[segment.parameter, words[at] ?? '']] : [])),
  )
}
