import { objectNotFound } from '../../call/not-found.ts'
import type { Answer } from '../../call/call.ts'
import type { HostRoute } from '../../call/host-route.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import { itemsOf } from '../../validation/items-of.ts'
import { beginLinking, beginLogin, type BeginParts } from './begin-login.ts'
import { finishLogin, type FinishParts } from './finish-login.ts'
import type { OidcClient } from './oidc-client.ts'

export type OidcEndpointParts = BeginParts & FinishParts & { readonly clients: readonly OidcClient[] }

const text = { type: 'string' }
const providers = '/auth/oidc'
const pathParameters = { provider: 'Name of the provider in the configuration.' }
const returnTo = {
  name: 'returnTo',
  description: 'The path on this host to redirect the browser to afterwards.',
  schema: { type: 'string', maxLength: 2_000 },
}

/** The routes under `/auth/oidc`. */
export function oidcRoutes(parts: OidcEndpointParts): readonly HostRoute[] {
  const clients = new Map(parts.clients.map((client) => [client.provider.name, client]))
  const clientOf = (name = '') => {
    const client = clients.get(name)
    if (client) return client
    throw objectNotFound('provider', name)
  }
  return [
    {
      id: 'listProviders',
      method: 'GET',
      path: providers,
      summary: 'List the OpenID Connect providers for signing in',
      isPublic: true,
      answers: [
        {
          status: 200,
          description: 'The providers.',
          schema: itemsOf({
            type: 'object',
            required: ['name', 'displayName', 'path'],
            properties: { name: text, displayName: text, path: text },
          }),
        },
      ],
      handle: () => listProviders(parts),
    },
    {
      id: 'beginLogin',
      method: 'GET',
      path: `${providers}/{provider}`,
      summary: 'Start a login at a provider',
      isPublic: true,
      pathParameters,
      query: [returnTo],
      answers: [{ status: 303, description: 'Redirects to the login page of the provider.' }],
      handle: async (call, { provider }) => beginLogin(parts, call, clientOf(provider)),
    },
    {
      id: 'beginLinking',
      method: 'POST',
      path: `${providers}/{provider}`,
      summary: "Begin to link the caller's identity at the provider",
      pathParameters,
      query: [returnTo],
      answers: [
        {
          status: 201,
          description: 'The URL of the provider to send the browser to.',
          schema: { type: 'object', required: ['url'], properties: { url: text } },
        },
      ],
      failures: ['CrossSite'],
      handle: async (call, { provider }) => beginLinking(parts, call, clientOf(provider)),
    },
    {
      id: 'finishLogin',
      method: 'GET',
      path: `${providers}/{provider}/callback`,
      summary: 'Finish a login at a provider',
      isPublic: true,
      pathParameters,
      query: [{ name: 'state', description: 'The value that was sent to the provider.', schema: text }],
      hasOpenQuery: true,
      answers: [{ status: 303, description: 'Redirects to the path where the login was started.' }],
      handle: async (call, { provider }) => finishLogin(parts, call, clientOf(provider)),
    },
  ]
}

/** `GET /auth/oidc`: the providers, for a page where people choose how to sign in. */
async function listProviders({ clients }: OidcEndpointParts): Promise<Answer> {
  const items = clients.map(({ provider: { name, displayName } }) => ({
    name,
    displayName,
    path: `/auth/oidc/${name}`,
  }))
  return jsonAnswer(200, Buffer.from(JSON.stringify({ items })))
}
