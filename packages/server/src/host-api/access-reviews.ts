import { ApiError, type ResourceRequest } from '@pergola/api'
import { explain, type Explanation } from '../access/decisions/explain.ts'
import { decide } from '../access/decisions/authorize.ts'
import type { HeldRoles } from '../access/decisions/role-book.ts'
import type { Answer, Call, Caller } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import { createPause } from '../base/pause.ts'
import { jsonAnswer } from '../call/json-answer.ts'
import type { Rights } from '../access/rights.ts'
import { itemsOf } from '../validation/items-of.ts'
import { jsonRequest } from '../validation/json-request.ts'
import { reviewedRequests, toRequestInfo, type ReviewedRequest } from './reviewed-request.ts'

const reviews = jsonRequest<Reviews>('the review', {
  type: 'object',
  required: ['requests'],
  additionalProperties: false,
  properties: {
    user: {
      type: 'string',
      minLength: 1,
      maxLength: 253,
      description: 'A user other than the caller; requires an additional right.',
    },
    requests: reviewedRequests,
  },
})

interface Reviews {
  readonly user?: string
  readonly requests: readonly ReviewedRequest[]
}

export function accessReviewRoutes(rights: Rights): readonly HostRoute[] {
  return [
    {
      id: 'reviewAccess',
      method: 'POST',
      path: '/apis/api.platform.run/v1alpha1/accessreviews',
      summary: 'Check whether a user may make requests, and why',
      body: reviews,
      answers: [
        { status: 200, description: 'One result per request, in the same order.', schema: itemsOf(explanation) },
      ],
      handle: (call) => reviewAccess(rights, call),
    },
  ]
}

const text = { type: 'string' }
const origin = {
  role: { type: 'string', description: 'The role that the user holds.' },
  binding: { type: 'string', description: 'The role binding that grants the role.' },
  path: {
    type: 'array',
    description: 'The roles between the held role and the role that contains the rule.',
    items: {
      type: 'object',
      required: ['by', 'role'],
      properties: { by: { enum: ['dependency', 'aggregation'] }, role: text },
    },
  },
  index: { type: 'integer', description: 'The index of the rule in its role, from 0.' },
  rule: { type: 'object', additionalProperties: true },
}
const originRequired = ['role', 'path', 'index', 'rule']
const misses = {
  type: 'array',
  items: { enum: ['verb', 'group', 'resource', 'sub-resource', 'name', 'path'] },
}
const reasons = {
  type: 'array',
  description: 'The parts of `text`, for sentences in another language.',
  items: {
    type: 'object',
    required: ['code', 'values'],
    properties: { code: text, values: { type: 'object', additionalProperties: true } },
  },
}
/** The answer of `explain`. */
const explanation = {
  oneOf: [
    {
      type: 'object',
      required: ['allowed', 'by', 'reasons', 'text'],
      properties: {
        allowed: { const: true },
        by: { type: 'object', description: 'The rule that allows it.', required: originRequired, properties: origin },
        reasons,
        text,
      },
    },
    {
      type: 'object',
      required: ['allowed', 'templates', 'reasons', 'text'],
      properties: {
        allowed: { const: false },
        nearest: {
          type: 'object',
          description: 'The rule that is closest to allowing it, and what the rule does not cover.',
          required: [...originRequired, 'misses'],
          properties: { ...origin, misses },
        },
        templates: { type: 'array', description: 'Role templates that would allow it.', items: text },
        reasons,
        text,
      },
    },
  ],
}

/** `POST accessreviews`: whether the caller, or another user, may do something, and why. */
export async function reviewAccess(rights: Rights, call: Call): Promise<Answer> {
  const { request, caller } = call
  const { user, requests } = await reviews.read(request)
  const held = await rights.rolesOf(caller)
  const isSelf = user === undefined || (caller.kind === 'user' && caller.name === user)
  const reviewed = isSelf ? { held, as: caller } : await reviewedUser(rights, { held, caller, user })
  const items: Explanation[] = []
  const pause = createPause()
  for (const asked of requests) {
    await pause()
    items.push(await explain(reviewed.held, reviewed.as, toRequestInfo(asked)))
  }
  return jsonAnswer(200, Buffer.from(JSON.stringify({ items })))
}

interface Other {
  readonly held: HeldRoles
  readonly caller: Caller
  readonly user: string
}

/** The roles of another user. The caller needs a right to review that user. */
async function reviewedUser(rights: Rights, { held, caller, user }: Other): Promise<{ held: HeldRoles; as: Caller }> {
  const needed: ResourceRequest = {
    kind: 'resource',
    verb: 'create',
    path: '',
    group: 'api.platform.run',
    version: 'v1alpha1',
    resource: 'users',
    name: user,
    subresource: 'accessreviews',
  }
  const decision = decide(held, caller, needed)
  if (!decision.allowed) throw new ApiError('Forbidden', decision.reason(), { params: decision.params() })
  return { held: await rights.readUser(user), as: { kind: 'user', name: user, uid: '', via: 'token' } }
}
