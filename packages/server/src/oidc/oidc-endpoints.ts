import type { Answer, Call } from '../base/call.ts'
import type { Endpoint } from '../dispatch/endpoint.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import { beginLinking, beginLogin, type BeginParts } from './begin-login.ts'
import { finishLogin, type FinishParts } from './finish-login.ts'
import type { OidcClient } from './oidc-client.ts'

export type OidcEndpointParts = BeginParts & FinishParts & { readonly clients: readonly OidcClient[] }

/** What is under `/auth/oidc`. */
export function createOidcEndpoints(parts: OidcEndpointParts): (path: string) => Endpoint | undefined {
  const clients = new Map(parts.clients.map((client) => [client.provider.name, client]))
  return (path) => {
    if (path === '/auth/oidc') return { get: () => listProviders(parts) }
    const [, name = '', callback] = /^\/auth\/oidc\/([^/]+)(\/callback)?$/.exec(path) ?? []
    const client = clients.get(name)
    if (!client) return undefined
    if (callback !== undefined) return { get: (call: Call) => finishLogin(parts, call, client) }
    return {
      get: (call: Call) => beginLogin(parts, call, client),
      create: (call: Call) => beginLinking(parts, call, client),
    }
  }
}

/** `GET /auth/oidc`: for a page where people choose how to sign in. */
async function listProviders({ clients }: OidcEndpointParts): Promise<Answer> {
  const items = clients.map(({ provider: { name, displayName } }) => ({
    name,
    displayName,
    path: `/auth/oidc/${name}`,
  }))
  return jsonAnswer(200, Buffer.from(JSON.stringify({ items })))
}
