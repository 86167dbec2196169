import { ApiError } from '@pergola/api'
import { signedIn } from './sign-in/sessions-endpoint.ts'
import type { Answer, Call, UserCaller } from '../call/call.ts'
import type { Clock } from '../base/clock.ts'
import type { HostRoute } from '../call/host-route.ts'
import { newSecret } from '../credentials/secret.ts'
import { createdAnswer, objectAnswer } from '../models/verbs/answers.ts'
import { createObject } from '../models/verbs/create.ts'
import { deleteObject } from '../models/verbs/delete.ts'
import { preconditionsIn } from '../models/verbs/etag.ts'
import { jsonAnswer } from '../call/json-answer.ts'
import type { Model } from '../models/model.ts'
import { answeredSchema } from '../models/definition/answered-schema.ts'
import { toBytes } from '../models/object-bytes.ts'
import { dryRunParameter, flag } from '../models/query/query-parameters.ts'
import type { Rights } from '../access/rights.ts'
import { ownerOfToken } from '../access/token-model.ts'
import type { Store, StoredObject } from '../store/store.ts'
import { fieldError } from '../call/field-error.ts'
import { itemsOf } from '../validation/items-of.ts'
import { jsonRequest } from '../validation/json-request.ts'
import { refuseBody, withErrorsAsSent } from '../validation/refuse-body.ts'

export const mostTokens = 100
const wantedToken = jsonRequest<Wanted>('the token', {
  type: 'object',
  additionalProperties: false,
  properties: {
    description: { type: 'string', maxLength: 500 },
    expiresAt: {
      type: 'string',
      format: 'date-time',
      maxLength: 40,
      description: 'Expiry time in RFC 3339. Without it the token never expires.',
    },
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

const path = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

export function tokenRoutes(parts: TokensApiParts): readonly HostRoute[] {
  const token = answeredSchema(parts.tokens)
  const secret = { type: 'string', description: 'The token itself. It is shown only here, and absent in a dry run.' }
  return [
    {
      id: 'listTokens',
      method: 'GET',
      path,
      summary: "List the caller's own personal access tokens",
      answers: [{ status: 200, description: 'All of them, without the tokens themselves.', schema: itemsOf(token) }],
      handle: (call) => listTokens(parts, call),
    },
    {
      id: 'createToken',
      method: 'POST',
      path,
      summary: 'Create a personal access token for the caller',
      query: [dryRunParameter],
      body: wantedToken,
      answers: [
        {
          status: 201,
          description: 'The token.',
          schema: { ...token, properties: { ...token.properties, token: secret } },
        },
      ],
      failures: ['TooManyRequests'],
      handle: (call) => makeToken(parts, call),
    },
    {
      id: 'deleteToken',
      method: 'DELETE',
      path: `${path}/{name}`,
      summary: "Delete one of the caller's own personal access tokens",
      pathParameters: { name: "The token's name, as lists show it." },
      query: [dryRunParameter],
      answers: [{ status: 200, description: 'The deleted token.', schema: token }],
      failures: ['VersionConflict', 'PreconditionFailed'],
      handle: (call, { name = '' }) => deleteToken(parts, call, name),
    },
  ]
}

/** `POST personalaccesstokens`: creates a token for the caller, who needs a session. The secret is only in this answer. */
async function makeToken(parts: TokensApiParts, call: Call): Promise<Answer> {
  const caller = signedIn(call)
  const { request } = call
  const dryRun = flag(request.query, 'dryRun')
  const wanted = await wantedToken.read(request)
  await refuseUnheld(parts, caller, wanted)
  if ((await ownTokens(parts, caller)).length >= mostTokens) {
    throw new ApiError('TooManyRequests', `you have ${mostTokens} tokens; delete one first`, {
      params: { limit: mostTokens },
      headers: { 'retry-after': '60' },
    })
  }
  const secret = newSecret('pgl_')
  const body = { metadata: { generateName: 'token-' }, spec: { ...wanted, owner: caller.name } }
  const made = await withErrorsAsSent('the token', { '/spec': '' }, () =>
    createObject(parts, parts.tokens, { body, caller, secret, dryRun }),
  )
  const answer = createdAnswer(parts.tokens, made)
  // If storing fails, the secret is useless.
  if (dryRun) return answer
  const shown = JSON.parse(toBytes(parts.tokens, made).toString()) as object
  const headers = { ...answer.headers, 'cache-control': 'no-store' }
  return { ...answer, headers, body: Buffer.from(JSON.stringify({ ...shown, token: secret })) }
}

/** A token can be narrowed only to roles that its owner is bound to, and must expire in the future. */
async function refuseUnheld({ clock, rights }: TokensApiParts, caller: UserCaller, wanted: Wanted): Promise<void> {
  const { roles: held } = await rights.rolesOf(caller)
  const unheld = (wanted.roles ?? []).filter((role) => !held.some(({ name, binding }) => name === role && binding))
  // `Date.parse` returns NaN for a leap second; the negation treats that as expired.
  const isOver = wanted.expiresAt !== undefined && !(Date.parse(wanted.expiresAt) > clock.now())
  refuseBody('the token', [
    ...unheld.map((role) =>
      fieldError('/roles', 'held', { message: `names "${role}", which you are not bound to`, params: { role } }),
    ),
    ...(isOver ? [fieldError('/expiresAt', 'future', 'must lie in the future')] : []),
  ])
}

/** `GET personalaccesstokens`: lists the caller's tokens. */
async function listTokens(parts: TokensApiParts, call: Call): Promise<Answer> {
  const found = await ownTokens(parts, userOf(call))
  const items = found.map((stored) => toBytes(parts.tokens, stored).toString())
  return jsonAnswer(200, Buffer.from(`{"items":[${items.join(',')}]}`))
}

/** `DELETE personalaccesstokens/<name>`: deletes one of the caller's tokens. */
async function deleteToken(parts: TokensApiParts, call: Call, name: string): Promise<Answer> {
  const caller = userOf(call)
  const isOwn = (await ownTokens(parts, caller)).some((stored) => stored.name === name)
  if (!isOwn) throw new ApiError('NotFound', `you have no token "${name}"`, { params: { kind: 'token', name } })
  const { headers, query } = call.request
  const dryRun = flag(query, 'dryRun')
  const deleted = await deleteObject(parts, parts.tokens, { name, ...preconditionsIn(headers), caller, dryRun })
  if (!dryRun) parts.onEnd(caller.uid)
  return objectAnswer(parts.tokens, deleted)
}

async function ownTokens({ store, tokens }: TokensApiParts, { name }: UserCaller): Promise<readonly StoredObject[]> {
  const where = [{ field: ownerOfToken, is: { op: '=' as const, value: name } }]
  return (await store.list(tokens, { where, limit: 2 * mostTokens, total: 'none' })).items
}

function userOf({ caller }: Call): UserCaller {
  if (caller.kind === 'user') return caller
  throw new ApiError('Forbidden', 'only users have tokens')
}
