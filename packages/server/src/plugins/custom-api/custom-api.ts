import { ApiError, localTarget, otherRoutesWords, type RouteDeclaration, type RouteTable } from '@pergola/api'
import type { Call } from '../../base/call.ts'
import type { Exchange, Relay } from '../../base/relay.ts'
import type { CallerTokens } from './caller-tokens.ts'
import { forward, type PluginDoor } from './forward.ts'
import { passOn, type Lasting } from './pass-on.ts'

/** Of a request's body, unless the route says otherwise. */
const usualBody = 10 * 1024 * 1024

/** A plugin that answers in a group. */
export interface AnsweringPlugin {
  readonly door: PluginDoor
  readonly routes: RouteTable<RouteDeclaration>
  /** Whether a program of the plugin answers whatever no route does. */
  readonly hasApp: boolean
}

/** Who answers in a group, if that is a plugin. */
interface CustomApiSource {
  /** Undefined when the group is no audience's; throws when its plugin is not started. */
  find(group: string): AnsweringPlugin | undefined
}

/** What goes on: counted, and ended when its caller may no longer have it, its time is over or the server stops. */
export interface LastingStreams {
  /** Throws when there are too many, or it may not begin. `end` is called once at most; without a reason, its time is over. */
  begin(call: Pick<Call, 'caller' | 'request' | 'recheck'>, end: (why: unknown) => void): Promise<Disposable>
}

/** Hands on what a plugin answers; undefined when the path is nobody's. */
export type CustomApi = (call: Call) => Relay | undefined

export interface CustomApiParts {
  readonly source: CustomApiSource
  readonly tokens: CallerTokens
  readonly streams: LastingStreams
}

export function createCustomApi({ source, tokens, streams }: CustomApiParts): CustomApi {
  return (call) => {
    const { request, caller, info } = call
    const [path = ''] = localTarget(request.target).split('?', 1)
    const [, root, group = ''] = path.split('/')
    const plugin = root === 'apis' ? source.find(decodeURIComponent(group)) : undefined
    if (!plugin) return undefined
    const isStream = info.verb === 'watch'
    const { maxBody = usualBody } = routeOf(plugin, { method: request.method, path, isWatch: isStream })
    const token = tokens.make(caller, plugin.door.name)
    const handedOn = { name: caller.kind === 'anonymous' ? undefined : caller.name, token }
    const relay = forward(plugin.door, request, { caller: handedOn, maxBody, isStream })
    if (!isStream) return relay
    const lasting: Lasting = (end) => streams.begin(call, end)
    return { ...lastingRelay(relay, lasting), passage: passOn(plugin.door, request, { caller: handedOn, lasting }) }
  }
}

function routeOf(
  { routes, hasApp }: AnsweringPlugin,
  request: Parameters<RouteTable<RouteDeclaration>['find']>[0],
): Pick<RouteDeclaration, 'maxBody'> {
  const found = routes.find(request)
  if (found && 'route' in found) return found.route
  if (hasApp) return {}
  if (!found) throw new ApiError('NotFound', `there is nothing at ${request.path}`)
  throw new ApiError('MethodNotAllowed', otherRoutesWords(request, found), {
    headers: { allow: found.methods.join(', ') },
  })
}

/** An answer that is cut when it may not go on. */
function lastingRelay(answer: Relay, lasting: Lasting): Relay {
  return {
    relay: async (exchange: Exchange) => {
      const over = new AbortController()
      using _ = await lasting((why) =>
        over.abort(why ?? new ApiError('Unavailable', 'open for long enough; ask again')),
      )
      const whenGone = (stop: () => void) => {
        exchange.whenGone(stop)
        if (over.signal.aborted) stop()
        else over.signal.addEventListener('abort', stop)
      }
      try {
        await answer.relay({ ...exchange, whenGone })
      } catch (error) {
        if (!over.signal.aborted) throw error
      }
      // Whoever hands it on takes it for the client's leaving, and says nothing.
      if (over.signal.aborted) throw over.signal.reason
    },
  }
}
