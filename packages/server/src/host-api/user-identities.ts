import { ApiError } from '@pergola/api'
import { objectNotFound } from '../call/not-found.ts'
import type { Answer, Call, Caller } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import type { OidcProvider } from '../config/oidc-provider.ts'
import { findIdentity, listIdentities, type LinkedIdentity } from '../store/records/identities.ts'
import { jsonAnswer } from '../call/json-answer.ts'
import { dryRunParameter, flag } from '../models/query/query-parameters.ts'
import { inAccessOrder } from '../access/access-order.ts'
import { assertCovers, assertPowerOver, mayHandOutAnything, rulesOf } from '../access/escalation.ts'
import { linkIdentity, type LinkParts } from '../access/link-identity.ts'
import type { Rights } from '../access/rights.ts'
import { unlinkIdentity, type UnlinkParts } from '../access/unlink-identity.ts'
import type { StoredObject } from '../store/store.ts'
import { itemsOf } from '../validation/items-of.ts'
import { jsonRequest } from '../validation/json-request.ts'
import { refuseTokens } from './refuse-tokens.ts'

const sentIdentity = jsonRequest<{ readonly provider: string; readonly subject: string }>('the identity', {
  type: 'object',
  required: ['provider', 'subject'],
  additionalProperties: false,
  properties: {
    provider: { type: 'string', minLength: 1, maxLength: 40 },
    subject: { type: 'string', minLength: 1, maxLength: 255 },
  },
})

export interface UserIdentitiesParts extends LinkParts, UnlinkParts {
  readonly rights: Rights
  readonly providers: readonly OidcProvider[]
  readonly onEnd: (uid: string) => void
}

const identitySchema = {
  type: 'object',
  required: ['issuer', 'subject', 'linkedAt'],
  properties: {
    issuer: { type: 'string' },
    subject: { type: 'string' },
    linkedAt: { type: 'string', format: 'date-time' },
    signedInAt: { type: 'string', format: 'date-time' },
  },
}

export function userIdentityRoutes(parts: UserIdentitiesParts): readonly HostRoute[] {
  const path = '/api/v1alpha1/users/{name}/oidcidentities'
  const pathParameters = { name: "The user's name." }
  return [
    {
      id: 'listUserIdentities',
      method: 'GET',
      path,
      summary: 'List the OpenID Connect identities of a user',
      pathParameters,
      answers: [{ status: 200, description: 'The identities of the user.', schema: itemsOf(identitySchema) }],
      handle: (_, { name = '' }) => listUserIdentities(parts, name),
    },
    {
      id: 'linkUserIdentity',
      method: 'POST',
      path,
      summary: 'Link an OpenID Connect identity to a user',
      pathParameters,
      query: [dryRunParameter],
      body: sentIdentity,
      answers: [{ status: 201, description: 'The identity that is linked now.', schema: identitySchema }],
      failures: ['AlreadyExists', 'EscalationForbidden'],
      handle: (call, { name = '' }) => linkUserIdentity(parts, call, name),
    },
    {
      id: 'unlinkUserIdentity',
      method: 'DELETE',
      path,
      summary: 'Unlink an OpenID Connect identity from a user',
      description: 'Removes the roles that the provider granted, and ends every session of the user.',
      pathParameters,
      query: [
        { name: 'issuer', description: 'The issuer of the identity.', required: true, schema: { type: 'string' } },
        dryRunParameter,
      ],
      answers: [{ status: 200, description: 'The identity that was linked.', schema: identitySchema }],
      failures: ['EscalationForbidden', 'InUse'],
      handle: (call, { name = '' }) => unlinkUserIdentity(parts, call, name),
    },
  ]
}

/** `GET users/<name>/oidcidentities`: the user's identities at the providers. */
async function listUserIdentities(parts: UserIdentitiesParts, name: string): Promise<Answer> {
  const { uid } = await findUser(parts, name)
  return answer(200, { items: (await listIdentities(parts.store, uid)).map(shown) })
}

/**
 * `POST users/<name>/oidcidentities`: links an identity. Whoever proves the identity can sign in as the user, so the caller
 * needs power over the user. The user also gets the roles that the provider gives to that identity.
 */
async function linkUserIdentity(parts: UserIdentitiesParts, call: Call, name: string): Promise<Answer> {
  refuseTokens(call, 'links no identity')
  const dryRun = flag(call.request.query, 'dryRun')
  const { provider, subject } = await sentIdentity.read(call.request)
  const found = findProvider(parts, provider)
  const { issuer } = found
  await inAccessOrder(parts.store, async (order) => {
    const { uid } = await findUser(parts, name)
    await assertPowerOver(parts.rights, call.caller, name)
    await assertMayGive(parts.rights, call.caller, found)
    await linkIdentity(parts, { issuer, subject }, { user: { uid, name }, order, dryRun })
  })
  const linked = await findIdentity(parts.store, { issuer, subject })
  return answer(201, shown(linked ?? { issuer, subject, linkedAt: parts.clock.now() }))
}

/**
 * `DELETE users/<name>/oidcidentities?issuer=<address>`: removes a link and the roles that the issuer gave, and ends all
 * sessions of the user.
 */
async function unlinkUserIdentity(parts: UserIdentitiesParts, call: Call, name: string): Promise<Answer> {
  const issuer = call.request.query.get('issuer')
  if (issuer === null) throw new ApiError('BadRequest', 'the query parameter issuer is required: ?issuer=<issuer URL>')
  const dryRun = flag(call.request.query, 'dryRun')
  const { uid } = await findUser(parts, name)
  await assertPowerOver(parts.rights, call.caller, name)
  const linked = (await listIdentities(parts.store, uid)).find(
    (identity) => identity.issuer === (URL.parse(issuer)?.href ?? issuer),
  )
  if (!linked)
    throw new ApiError('NotFound', `user "${name}" has no identity of ${issuer}`, { params: { user: name, issuer } })
  await unlinkIdentity(parts, linked, { dryRun })
  if (!dryRun) parts.onEnd(uid)
  return answer(200, shown(linked))
}

async function assertMayGive(rights: Rights, caller: Caller, { name, roles }: OidcProvider): Promise<void> {
  const held = await rights.readCaller(caller)
  if (mayHandOutAnything(held)) return
  const given = (await rights.readBook()).hold([...roles.values()].flat().map((role) => ({ name: role })))
  assertCovers(held, rulesOf(given), `an identity of provider "${name}"`)
}

async function findUser({ store, users }: UserIdentitiesParts, name: string): Promise<StoredObject> {
  const user = await store.get(users, name)
  if (!user) throw objectNotFound('user', name)
  return user
}

function findProvider({ providers }: UserIdentitiesParts, name: string): OidcProvider {
  const found = providers.find((provider) => provider.name === name)
  if (found) return found
  const known = providers.map((provider) => provider.name).join(', ')
  throw new ApiError('NotFound', `there is no provider "${name}"; known are ${known || 'none, see oidc.providers'}`)
}

type ShownIdentity = Pick<LinkedIdentity, 'issuer' | 'subject' | 'linkedAt' | 'signedInAt'>

function shown({ issuer, subject, linkedAt, signedInAt }: ShownIdentity): object {
  return {
    issuer,
    subject,
    linkedAt: time(linkedAt),
    ...(signedInAt !== undefined && { signedInAt: time(signedInAt) }),
  }
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function answer(status: number, value: object): Answer {
  return jsonAnswer(status, Buffer.from(JSON.stringify(value)))
}
