import { ApiError, type ResourceRequest } from '@pergola/api'
import { explain, type Explanation } from '../authz/explain.ts'
import { decide } from '../authz/authorize.ts'
import type { HeldRoles } from '../authz/role-book.ts'
import type { Answer, Call, Caller } from '../base/call.ts'
import { createPause } from '../base/pause.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import type { Rights } from '../platform/rights.ts'
import { readJson } from '../validation/read-json.ts'
import { compileSchema } from '../validation/schema-validator.ts'
import { reviewedRequests, toRequestInfo, type ReviewedRequest } from './reviewed-request.ts'

const faults = compileSchema({
  type: 'object',
  required: ['requests'],
  additionalProperties: false,
  properties: {
    user: { type: 'string', minLength: 1, maxLength: 253 },
    requests: reviewedRequests,
  },
})

interface Reviews {
  readonly user?: string
  readonly requests: readonly ReviewedRequest[]
}

/** `POST accessreviews`: whether the caller, or somebody else, may do something, and why. */
export async function reviewAccess(rights: Rights, call: Call): Promise<Answer> {
  const { request, caller } = call
  const value = await readJson(request, { what: 'the review', faults: faults })
  const { user, requests } = value as Reviews
  const held = await rights.rolesOf(caller)
  const isSelf = user === undefined || (caller.kind === 'user' && caller.name === user)
  const reviewed = isSelf ? { held, as: caller } : await other(rights, { held, caller, user })
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

/** Of somebody else, which is a right of its own. */
async function other(rights: Rights, { held, caller, user }: Other): Promise<{ held: HeldRoles; as: Caller }> {
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
  if (!decision.allowed) throw new ApiError('Forbidden', decision.reason())
  return { held: await rights.readUser(user), as: { kind: 'user', name: user, uid: '', via: 'token' } }
}
