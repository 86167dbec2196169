import { ApiError } from '@pergola/api'
import { signedIn } from '../account/sessions-endpoint.ts'
import type { Answer, Call, UserCaller } from '../base/call.ts'
import type { Clock } from '../base/clock.ts'
import { newSecret } from '../credentials/secret.ts'
import { createObject } from '../models/create.ts'
import { deleteObject } from '../models/delete.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import type { Model } from '../models/model.ts'
import { toBytes } from '../models/object-bytes.ts'
import type { Rights } from '../platform/rights.ts'
import { ownerOfToken } from '../platform/token-model.ts'
import type { Store, StoredObject } from '../store/store.ts'
import { fieldError } from '../validation/field-error.ts'
import { readJson } from '../validation/read-json.ts'
import { refuseBody } from '../validation/refuse-body.ts'
import { compileSchema } from '../validation/schema-validator.ts'

export const mostTokens = 100
const faults = compileSchema({
  type: 'object',
  additionalProperties: false,
  properties: {
    description: { type: 'string', maxLength: 500 },
    expiresAt: { type: 'string', minLength: 1, maxLength: 40 },
    roles: { type: 'array', minItems: 1, maxItems: 100, uniqueItems: true, items: { type: 'string', minLength: 1 } },
  },
})

interface Wanted {
  readonly description?: string
  readonly expiresAt?: string
  readonly roles?: readonly string[]
}

export interface TokensApiParts {
  readonly store: Store
  readonly clock: Clock
  readonly rights: Rights
  readonly tokens: Model
  readonly onEnd: (uid: string) => void
}

/** `POST personalaccesstokens`: for oneself, by a session; the secret is in this answer and nowhere else. */
export async function makeToken(parts: TokensApiParts, call: Call): Promise<Answer> {
  const caller = signedIn(call)
  const { request } = call
  const value = await readJson(request, { what: 'the token', faults: faults })
  const wanted = value as Wanted
  await refuseUnheld(parts, caller, wanted)
  if ((await ownTokens(parts, caller)).length >= mostTokens) {
    throw new ApiError('TooManyRequests', `you have ${mostTokens} tokens; delete one first`, {
      headers: { 'retry-after': '60' },
    })
  }
  const secret = newSecret('pgl_')
  const body = { metadata: { generateName: 'token-' }, spec: { ...wanted, owner: caller.name } }
  const answer = await createObject(parts, parts.tokens, { body, caller, secret })
  const object = JSON.parse((answer.body as Buffer).toString()) as object
  const headers = { ...answer.headers, 'cache-control': 'no-store' }
  return { ...answer, headers, body: Buffer.from(JSON.stringify({ ...object, token: secret })) }
}

/** A token can be narrowed to what its owner holds, and must not be over before it begins. */
async function refuseUnheld({ clock, rights }: TokensApiParts, caller: UserCaller, wanted: Wanted): Promise<void> {
  const { roles: held } = await rights.rolesOf(caller)
  const unheld = (wanted.roles ?? []).filter((role) => !held.some(({ name, binding }) => name === role && binding))
  // A leap second is no time that can be compared.
  const isOver = wanted.expiresAt !== undefined && !(Date.parse(wanted.expiresAt) > clock.now())
  refuseBody('the token', [
    ...unheld.map((role) => fieldError('/roles', 'held', `names "${role}", which you are not bound to`)),
    ...(isOver ? [fieldError('/expiresAt', 'future', 'must lie in the future')] : []),
  ])
}

/** `GET personalaccesstokens`: one's own. */
export async function listTokens(parts: TokensApiParts, call: Call): Promise<Answer> {
  const found = await ownTokens(parts, userOf(call))
  const items = found.map((stored) => toBytes(parts.tokens, stored).toString())
  return jsonAnswer(200, Buffer.from(`{"items":[${items.join(',')}]}`))
}

/** `DELETE personalaccesstokens/<name>`: one's own. */
export async function deleteToken(parts: TokensApiParts, call: Call, name: string): Promise<Answer> {
  const caller = userOf(call)
  const isOwn = (await ownTokens(parts, caller)).some((stored) => stored.name === name)
  if (!isOwn) throw new ApiError('NotFound', `you have no token "${name}"`)
  const answer = await deleteObject(parts, parts.tokens, { name, headers: call.request.headers, caller })
  parts.onEnd(caller.uid)
  return answer
}

async function ownTokens({ store, tokens }: TokensApiParts, { name }: UserCaller): Promise<readonly StoredObject[]> {
  const where = [{ field: ownerOfToken, is: { op: '=' as const, value: name } }]
  return (await store.list(tokens, { where, limit: 2 * mostTokens, total: 'none' })).items
}

function userOf({ caller }: Call): UserCaller {
  if (caller.kind === 'user') return caller
  throw new ApiError('Forbidden', 'only users have tokens')
}
