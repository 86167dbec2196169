import type { Answer, Call } from '../base/call.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import type { Model } from '../models/model.ts'
import type { Rights } from '../platform/rights.ts'
import { roleOfBinding } from '../platform/role-binding-model.ts'
import type { Store } from '../store/store.ts'
import { readJson } from '../validation/read-json.ts'
import { compileSchema } from '../validation/schema-validator.ts'
import { reviewedRequest, toRequestInfo, type ReviewedRequest } from './reviewed-request.ts'

const faults = compileSchema(reviewedRequest)

export interface WhoCanParts {
  readonly store: Store
  readonly rights: Rights
  readonly bindings: Model
}

/** `POST whocan`: the roles that allow something, and how many bindings give each of them. */
export async function whoCan({ store, rights, bindings }: WhoCanParts, { request }: Call): Promise<Answer> {
  const value = await readJson(request, { what: 'the question', faults: faults })
  const book = await rights.readBook()
  const roles = []
  for (const name of await book.rolesAllowing(toRequestInfo(value as ReviewedRequest))) {
    const where = [{ field: roleOfBinding, is: { op: '=' as const, value: name } }]
    const { total } = await store.list(bindings, { where, limit: 1 })
    roles.push({ name, bindings: total?.count ?? 0, ...(total?.isEstimate && { isEstimate: true }) })
  }
  return jsonAnswer(200, Buffer.from(JSON.stringify({ roles })))
}
