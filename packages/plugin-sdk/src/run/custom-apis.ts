import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  ApiError,
  asksForStream,
  audienceGroup,
  closeSchema,
  createRouteTable,
  otherRoutesWords,
  type PluginDefinition,
  type RouteDeclaration,
} from '@pergola/api'
import type { CallContext, Caller, PluginContext } from '../handler-context.ts'
import { audiences, routesFor } from '../inspect/declare-routes.ts'
import type { AnyPlugin, WebApp } from '../plugin.ts'
import type { Upgrade } from '../route/plugin-socket.ts'
import type { Talk } from './accept-socket.ts'
import type { RunLeased } from './leases.ts'
import { createBatch, createModelClient, type ClientBy, type ClientFor } from './model-client.ts'
import { ServerResponse } from './node-http.ts'
import { markOwn } from './own-error.ts'
import { createPluginContext } from './plugin-context.ts'
import { serveRoute, type ServedRoute } from './serve-route.ts'
import type { ValueCheck } from './value-check.ts'
import { webRequest } from './web-request.ts'

export interface CustomApiParts extends Pick<PluginContext, 'clock' | 'settings'> {
  readonly clientBy: ClientBy
  readonly runLeased: RunLeased
  /** Aborted when the plugin begins to stop: ends streams. */
  readonly stopping: AbortSignal
  /** Aborted when the grace period ends. */
  readonly ended: AbortSignal
}

export interface CustomApis {
  /** Throws `ApiError` for an invalid request, and any error of the plugin's code. */
  answer(asked: Asked): Promise<Response>
}

interface Asked {
  readonly message: IncomingMessage
  /** Closed when the caller disconnects. */
  readonly to: ServerResponse | Duplex
  /** Set for a WebSocket request: called with the talk if the handler accepts it. */
  readonly onUpgrade?: (talk: Talk) => void
}

/** True when the response accepts a WebSocket. Checks a header, because routers may copy the response. */
export function isUpgrade({ headers }: Response): boolean {
  return headers.get('upgrade') === 'websocket'
}

/** Abort reason of a handler's signal when the caller disconnects. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone'
}

const defaultMaxBody = 10 * 1024 * 1024

/** Serves the plugin's routes and web apps at their full paths. */
export function createCustomApis(plugin: AnyPlugin, definition: PluginDefinition, parts: CustomApiParts): CustomApis {
  const table = createRouteTable(servedRoutes(plugin, definition))
  const apps = appsOf(plugin, definition)
  const loadCheck = createLoadCheck()
  const ownClient: ClientBy = ({ onError, ...how }) =>
    parts.clientBy({
      ...how,
      onError: (error) => {
        markOwn(error)
        onError?.(error)
      },
    })
  const contextOf = ({ message, onUpgrade }: Asked, signal: AbortSignal): CallContext => {
    const { clock, settings, clientBy, runLeased } = parts
    const own = createPluginContext({ clientBy: ownClient, runLeased, clock, settings, signal })
    return { ...own, caller: callerOf(message, { clientBy, signal }), upgrade: upgradeOf(message, onUpgrade) }
  }

  return {
    answer: async (asked) => {
      const { message, to } = asked
      const path = (message.url ?? '/').split('?', 1).join('')
      const isWatch = message.method === 'GET' && asksForStream(message)
      const request = { method: message.method ?? '', path, isWatch }
      const found = table.find(request)
      const app = apps.find(({ prefix }) => path.startsWith(prefix))
      if (found && 'route' in found) {
        const { declaration } = found.route
        const signal = signalOf(to, declaration.stream ? parts.stopping : parts.ended)
        const whole = webRequest(message, declaration.maxBody ?? defaultMaxBody, signal)
        const context = contextOf(asked, signal)
        return serveRoute({ route: found.route, params: found.parameters, request: whole, context, loadCheck })
      }
      if (app) {
        const signal = signalOf(to, isWatch ? parts.stopping : parts.ended)
        return app.serve(webRequest(message, defaultMaxBody, signal), contextOf(asked, signal))
      }
      if (found) {
        throw new ApiError('MethodNotAllowed', otherRoutesWords(request, found), {
          headers: { allow: found.methods.join(', ') },
        })
      }
      throw new ApiError('NotFound', `the plugin ${plugin.name} serves nothing at ${path}`)
    },
  }
}

/** Pairs declarations with handlers: both are in source order. */
function servedRoutes(plugin: AnyPlugin, { routes }: PluginDefinition): readonly ServedRoute[] {
  const handlers = audiences.flatMap((audience) => routesFor(plugin, audience)).map(({ handler }) => handler)
  return routes.flatMap((declaration, at) => {
    const handler = handlers[at]
    const { method, path, stream = false } = declaration
    return handler ? [{ method, path, stream, declaration: closed(declaration), handler }] : []
  })
}

/** Like a model, a route refuses fields that its schemas do not name. */
function closed({ request, query, ...declaration }: RouteDeclaration): RouteDeclaration {
  return {
    ...declaration,
    ...(request && { request: closeSchema(request) }),
    ...(query && { query: closeSchema(query) }),
  }
}

interface ServedApp {
  readonly prefix: string
  readonly serve: (request: Request, context: CallContext) => Promise<Response>
}

function appsOf(plugin: AnyPlugin, { apps, groups }: PluginDefinition): readonly ServedApp[] {
  return apps.flatMap((audience) => {
    const app = plugin[audience] as WebApp
    const serve: ServedApp['serve'] = async (request, context) =>
      typeof app === 'function' ? app(request, context) : app.fetch(request, context)
    return groups.map((group) => ({ prefix: `/apis/${audienceGroup(audience, group)}/`, serve }))
  })
}

/** Aborted when the caller disconnects or the plugin stops. */
function signalOf(to: ServerResponse | Duplex, stop: AbortSignal): AbortSignal {
  const gone = new AbortController()
  to.once('close', () => {
    const isAnswered = to instanceof ServerResponse && to.writableFinished
    if (!isAnswered) gone.abort(new CallerGone('the caller disconnected'))
  })
  return AbortSignal.any([gone.signal, stop])
}

function upgradeOf({ headers }: IncomingMessage, onUpgrade: Asked['onUpgrade']): Upgrade {
  return (talk, options = {}) => {
    if (!onUpgrade) throw new ApiError('BadRequest', 'this endpoint requires a WebSocket')
    const { protocols = [] } = options
    const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim())
    if (offered[0] !== '' && protocols.length > 0 && !protocols.some((one) => offered.includes(one))) {
      throw new ApiError(
        'BadRequest',
        `the sub-protocol ${offered.join(', ')} is not spoken here; offer ${protocols.join(' or ')}`,
      )
    }
    onUpgrade({ ...options, talk })
    // `Response` does not allow status 101; `serveUpgrades` recognises this header instead.
    return new Response(null, { status: 204, headers: { upgrade: 'websocket' } })
  }
}

function callerOf(
  { headers }: IncomingMessage,
  { clientBy, signal }: Pick<CustomApiParts, 'clientBy'> & { readonly signal: AbortSignal },
): Caller {
  const [name, token] = [headers['pergola-caller'], headers['pergola-caller-token']].map((value) => [value].flat()[0])
  const client: ClientFor = (onError) => {
    // Without the token, the call would run with the plugin's full rights.
    if (token === undefined) throw new ApiError('Unauthenticated', "this requires the caller's rights; sign in first")
    return clientBy({ onError, headers: { 'pergola-caller-token': token } })
  }
  return { name, client: createModelClient({ client, signal }), batch: createBatch({ client, signal }) }
}

/** Loads the validator on first use. */
function createLoadCheck(): () => Promise<ValueCheck> {
  let check: Promise<ValueCheck> | undefined
  return () => (check ??= import('./value-check.ts').then(({ createValueCheck }) => createValueCheck()))
}
