import { createClient, requestOfRoute, type Client, type RouteCall } from '@pergola/client'
import type { LiveLink } from './live-state.ts'
import { fetchNoting } from './own-writes.ts'

/** Client of the host that served this page, with the browser's session. Pages of plugins have the same one, so it cannot be changed. */
export const client = Object.freeze(createClient({ url: location.origin, fetch: fetchNoting, transport: 'WebSocket' }))

/** Calls a custom API with the rights of the signed-in user. */
export const call: RouteCall = async (route, ...[input]) => client.call(requestOfRoute(route, input))

/** Its requests outlive the page. */
export const lastClient = createClient({
  url: location.origin,
  fetch: async (input, init) => fetch(input, { ...init, keepalive: true }),
})

/** A client for one watch, which reports its connection state. */
export function clientFor({ connected, lost }: LiveLink): Client {
  return createClient({ url: location.origin, onConnect: connected, onRetry: lost })
}

export const consoleApi = '/apis/console.api.platform.run/v1alpha1'
export const publicApi = '/apis/api.platform.run/v1alpha1'
export const ownApi = '/apis/uc.api.platform.run/v1alpha1'
