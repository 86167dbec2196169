import type { Answer, Call } from '../base/call.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import type { Model } from '../models/model.ts'
import type { Rights } from '../platform/rights.ts'
import { roleOfBinding } from '../platform/role-binding-model.ts'
import type { Store } from '../store/store.ts'
import { readJson } from '../validation/read-json.ts'
import { compileSchema } from '../validation/schema-validator.ts'
import { reviewedRequests, toRequestInfo, type ReviewedRequest } from './reviewed-request.ts'

const faults = compileSchema({
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

/** `POST whocan`: for each request the roles that allow it, and how many bindings give each of them. */
export async function whoCan(parts: WhoCanParts, { request }: Call): Promise<Answer> {
  const value = await readJson(request, { what: 'the question', faults })
  const { requests } = value as { readonly requests: readonly ReviewedRequest[] }
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
