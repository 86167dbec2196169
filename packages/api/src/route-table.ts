/** A route as definitions write it: `GET`, `/apis/.../todos/{name}/share`. */
interface RouteLine {
  readonly method: string
  readonly path: string
  /** Its GET is the verb `watch`. */
  readonly stream?: boolean
}

/** What a plugin answers, by method and path. Host and plugin both ask it, so that neither means another route. */
export interface RouteTable<Route extends RouteLine> {
  /** The route of a request, or what there is at its path; undefined when nothing is there. */
  find(request: RoutedRequest): FoundRoute<Route> | OtherRoutes | undefined
}

export interface RoutedRequest {
  readonly method: string
  /** Still percent-encoded, without the query. */
  readonly path: string
  /** Its verb is `watch`: rules tell streams from other answers, and so must routes. */
  readonly isWatch: boolean
}

/** What there is in place of what was asked for. */
export interface OtherRoutes {
  readonly methods: readonly string[]
  /** The method is right, but goes on, or does not, where the request means the other. */
  readonly isStream?: boolean
}

export interface FoundRoute<Route extends RouteLine> {
  readonly route: Route
  /** As they stand in the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
}

interface Pattern<Route> {
  readonly route: Route
  readonly segments: readonly Segment[]
}

type Segment = { readonly literal: string } | { readonly parameter: string }

/** Made once for each version of a plugin. Where a word and a parameter both fit, the word is meant. */
export function createRouteTable<Route extends RouteLine>(routes: readonly Route[]): RouteTable<Route> {
  const byLength = Map.groupBy(routes.map(patternOf).toSorted(literalFirst), ({ segments }) => segments.length)
  return {
    find: ({ method, path, isWatch }) => {
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

/** Whether one request could mean both, and neither is the more exact. */
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

/** A HEAD is a GET whose body nobody wants. */
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

/** In words, for whoever asked for something that is not there. */
export function otherRoutesWords({ method, path }: RoutedRequest, { methods, isStream }: OtherRoutes): string {
  if (isStream === undefined) return `${method} is not served at ${path}; allowed here: ${methods.join(', ')}`
  if (!isStream) return `${path} does not go on: ask for it without "Accept: text/event-stream", and not as a WebSocket`
  return `${path} goes on: ask for it with "Accept: text/event-stream", or as a WebSocket`
}

/** By the first segment in which they differ in kind. */
function literalFirst({ segments: one }: Pattern<unknown>, { segments: other }: Pattern<unknown>): number {
  const at = one.findIndex((segment, place) => 'literal' in segment !== 'literal' in (other[place] ?? segment))
  if (at < 0) return 0
  return 'literal' in (one[at] ?? {}) ? -1 : 1
}

/** Undefined where a segment is not percent-encoded text. */
function wordsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map((segment) => decodeURIComponent(segment))
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
