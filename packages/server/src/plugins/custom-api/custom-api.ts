import {
  ApiError,
  localTarget,
  otherRoutesWords,
  type RequestInfo,
  type RouteDeclaration,
  type RouteTable,
} from '@pergola/api'
import { pathNotFound } from '../../call/not-found.ts'
import type { Call } from '../../call/call.ts'
import type { ProxyExchange, ProxiedAnswer } from '../../call/proxied-answer.ts'
import type { CallerTokens } from './caller-tokens.ts'
import { proxyToPlugin, type PluginDoor } from './proxy-to-plugin.ts'
import { proxyWebSocket, type Lasting } from './proxy-web-socket.ts'

/** Limit of a request body, unless the route says otherwise. */
export const usualBody = 10 * 1024 * 1024

/** A plugin that answers requests in a group. */
export interface AnsweringPlugin {
  readonly door: PluginDoor
  readonly routes: RouteTable<RouteDeclaration>
  /** Whether the plugin has an app that answers requests that match no route. */
  readonly hasApp: boolean
}

/** Finds the plugin that answers in a group. */
interface CustomApiSource {
  /** Undefined when the group is not an audience group of a plugin; throws when its plugin is not started. */
  find(group: string): AnsweringPlugin | undefined
}

/** Long-lived streams: counted, and ended when the caller loses access, their time has passed or the server stops. */
export interface LastingStreams {
  /**
   * Throws when there are too many streams, or the caller is not authorized. `end` is called at most once; without a reason,
   * the stream's time is over.
   */
  begin(call: Pick<Call, 'caller' | 'request' | 'recheck'>, end: (why: unknown) => void): Promise<Disposable>
}

/** Forwards a request to the plugin that answers it; undefined when no plugin serves the path. */
export type CustomApi = (call: Call) => ProxiedAnswer | undefined

export interface CustomApiParts {
  readonly source: CustomApiSource
  readonly tokens: CallerTokens
  readonly streams: LastingStreams
}

export function createCustomApi({ source, tokens, streams }: CustomApiParts): CustomApi {
  return (call) => {
    const { request, caller, info } = call
    const group = groupOf(info)
    const plugin = group === undefined ? undefined : source.find(group)
    if (!plugin) return undefined
    const path = pathOf(request.target)
    const isStream = info.verb === 'watch'
    const { maxBody = usualBody, responseHeaders } = routeOf(plugin, {
      method: request.method,
      path,
      isWatch: isStream,
    })
    const token = tokens.make(call, plugin.door.name)
    const handedOn = { name: caller.kind === 'anonymous' ? undefined : caller.name, token }
    const passed = { caller: handedOn, maxBody, responseHeaders }
    if (!isStream) {
      const enter = () => plugin.door.share.take(caller, request.address)
      return proxyToPlugin(plugin.door, request, { ...passed, enter })
    }
    const answer = proxyToPlugin(plugin.door, request, { ...passed, isStream })
    const lasting: Lasting = (end) => streams.begin(call, end)
    return {
      ...lastingProxy(answer, lasting),
      webSocket: proxyWebSocket(plugin.door, request, { caller: handedOn, lasting, responseHeaders }),
    }
  }
}

/** Also finds the group of paths that are too long for a resource. */
function groupOf(info: RequestInfo): string | undefined {
  if (info.kind === 'resource') return info.group
  const [, root, group] = info.path.split('/')
  return root === 'apis' ? group : undefined
}

/** As it was sent, percent-encoded. */
function pathOf(target: string): string {
  const local = localTarget(target)
  const query = local.indexOf('?')
  return query < 0 ? local : local.slice(0, query)
}

function routeOf(
  { routes, hasApp }: AnsweringPlugin,
  request: Parameters<RouteTable<RouteDeclaration>['find']>[0],
): Pick<RouteDeclaration, 'maxBody' | 'responseHeaders'> {
  const found = routes.find(request)
  if (found && 'route' in found) return found.route
  if (hasApp) return {}
  if (!found) throw pathNotFound(request.path)
  throw new ApiError('MethodNotAllowed', otherRoutesWords(request, found), {
    headers: { allow: found.methods.join(', ') },
  })
}

/** An answer that is cut off when the stream must end. */
function lastingProxy(answer: ProxiedAnswer, lasting: Lasting): ProxiedAnswer {
  return {
    proxy: async (exchange: ProxyExchange) => {
      const over = new AbortController()
      using _ = await lasting((why) =>
        over.abort(why ?? new ApiError('Unavailable', 'the stream has reached its maximum duration; request it again')),
      )
      const whenGone = (stop: () => void) => {
        exchange.whenGone(stop)
        if (over.signal.aborted) stop()
        else over.signal.addEventListener('abort', stop)
      }
      try {
        await answer.proxy({ ...exchange, whenGone })
      } catch (error) {
        if (!over.signal.aborted) throw error
      }
      // The proxy treats the abort as a disconnect of the client and reports nothing, so the reason is thrown here.
      if (over.signal.aborted) throw over.signal.reason
    },
  }
}
