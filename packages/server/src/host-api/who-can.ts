import type { Answer, Call } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import { jsonAnswer } from '../call/json-answer.ts'
import type { Model } from '../models/model.ts'
import type { Rights } from '../access/rights.ts'
import { roleOfBinding } from '../access/role-binding-model.ts'
import type { Store } from '../store/store.ts'
import { itemsOf } from '../validation/items-of.ts'
import { jsonRequest } from '../validation/json-request.ts'
import { reviewedRequests, toRequestInfo, type ReviewedRequest } from './reviewed-request.ts'

const question = jsonRequest<{ readonly requests: readonly ReviewedRequest[] }>('the question', {
  type: 'object',
  required: ['requests'],
  additionalProperties: false,
  properties: { requests: reviewedRequests },
})

export interface WhoCanParts {
  readonly store: Store
  readonly rights: Rights
  readonly bindings: Model
}

interface AllowingRole {
  readonly name: string
  readonly bindings: number
  readonly isEstimate?: true
}

export function whoCanRoutes(parts: WhoCanParts): readonly HostRoute[] {
  const role = {
    type: 'object',
    required: ['name', 'bindings'],
    properties: {
      name: { type: 'string' },
      bindings: { type: 'integer', description: 'The number of role bindings that grant the role.' },
      isEstimate: { const: true, description: 'There are more role bindings than were counted.' },
    },
  }
  const schema = itemsOf({
    type: 'object',
    required: ['roles'],
    properties: { roles: { type: 'array', items: role } },
  })
  return [
    {
      id: 'findRoles',
      method: 'POST',
      path: '/apis/api.platform.run/v1alpha1/whocan',
      summary: 'List the roles that allow requests',
      body: question,
      answers: [{ status: 200, description: 'One result per request, in the same order.', schema }],
      handle: (call) => whoCan(parts, call),
    },
  ]
}

/** `POST whocan`: for each request the roles that allow it, and how many bindings give each of them. */
async function whoCan(parts: WhoCanParts, { request }: Call): Promise<Answer> {
  const { requests } = await question.read(request)
  const book = await parts.rights.readBook()
  const counted = new Map<string, AllowingRole>()
  const items: { readonly roles: readonly AllowingRole[] }[] = []
  for (const asked of requests) {
    const roles: AllowingRole[] = []
    for (const name of await book.rolesAllowing(toRequestInfo(asked))) {
      const role = counted.get(name) ?? (await withBindings(parts, name))
      counted.set(name, role)
      roles.push(role)
    }
    items.push({ roles })
  }
  return jsonAnswer(200, Buffer.from(JSON.stringify({ items })))
}

async function withBindings({ store, bindings }: WhoCanParts, name: string): Promise<AllowingRole> {
  const where = [{ field: roleOfBinding, is: { op: '=' as const, value: name } }]
  const { total } = await store.list(bindings, { where, limit: 1 })
  return { name, bindings: total?.count ?? 0, ...(total?.isEstimate && { isEstimate: true }) }
}
