import { ApiError } from '@pergola/api'
import type { Answer, Call, Caller } from '../base/call.ts'
import type { OidcProvider } from '../base/oidc-provider.ts'
import type { LinkedIdentity } from '../credentials/identities.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import { inAccessOrder } from '../platform/access-order.ts'
import { assertCovers, assertPowerOver, mayHandOutAnything, rulesOf } from '../platform/escalation.ts'
import { linkIdentity, type LinkParts } from '../platform/link-identity.ts'
import type { Rights } from '../platform/rights.ts'
import { unlinkIdentity, type UnlinkParts } from '../platform/unlink-identity.ts'
import type { StoredObject } from '../store/store.ts'
import { readJson } from '../validation/read-json.ts'
import { compileSchema } from '../validation/schema-validator.ts'
import { refuseTokens } from './refuse-tokens.ts'

const faults = compileSchema({
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

/** `GET users/<name>/oidcidentities`: who a user is to which provider. */
export async function listUserIdentities(parts: UserIdentitiesParts, name: string): Promise<Answer> {
  const { uid } = await findUser(parts, name)
  return answer(200, { items: (await parts.identities.of(uid)).map(shown) })
}

/**
 * `POST users/<name>/oidcidentities`: who proves the identity can become the user, so linking takes power over it. And what the
 * provider gives to that somebody is given to whoever is that user already.
 */
export async function linkUserIdentity(parts: UserIdentitiesParts, call: Call, name: string): Promise<Answer> {
  refuseTokens(call, 'links no identity')
  const value = await readJson(call.request, { what: 'the identity', faults })
  const { provider, subject } = value as { readonly provider: string; readonly subject: string }
  const found = findProvider(parts, provider)
  const { issuer } = found
  await inAccessOrder(parts.store, async (order) => {
    const { uid } = await findUser(parts, name)
    await assertPowerOver(parts.rights, call.caller, name)
    await assertMayGive(parts.rights, call.caller, found)
    await linkIdentity(parts, { issuer, subject }, { user: { uid, name }, order })
  })
  const linked = await parts.identities.find({ issuer, subject })
  return answer(201, linked ? shown(linked) : {})
}

/** `DELETE users/<name>/oidcidentities?issuer=<address>`: with what the issuer gave; the user is signed out everywhere. */
export async function unlinkUserIdentity(parts: UserIdentitiesParts, call: Call, name: string): Promise<Answer> {
  const issuer = call.request.query.get('issuer')
  if (issuer === null) throw new ApiError('BadRequest', 'say which identity is to be removed: ?issuer=<its address>')
  const { uid } = await findUser(parts, name)
  await assertPowerOver(parts.rights, call.caller, name)
  const linked = (await parts.identities.of(uid)).find(
    (identity) => identity.issuer === (URL.parse(issuer)?.href ?? issuer),
  )
  if (!linked) throw new ApiError('NotFound', `user "${name}" has no identity of ${issuer}`)
  await unlinkIdentity(parts, linked)
  parts.onEnd(uid)
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
  if (!user) throw new ApiError('NotFound', `there is no user "${name}"`)
  return user
}

function findProvider({ providers }: UserIdentitiesParts, name: string): OidcProvider {
  const found = providers.find((provider) => provider.name === name)
  if (found) return found
  const known = providers.map((provider) => provider.name).join(', ')
  throw new ApiError('NotFound', `there is no provider "${name}"; known are ${known || 'none, see oidc.providers'}`)
}

function shown({ issuer, subject, linkedAt, signedInAt }: LinkedIdentity): object {
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
