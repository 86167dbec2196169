import { ApiError } from '@pergola/api'
import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from '../base/call.ts'
import type { Store } from '../store/store.ts'
import { etagOf, isNotModified } from './etag.ts'
import { jsonAnswer } from './json-answer.ts'
import type { Model } from './model.ts'
import { openedBytes } from './object-bytes.ts'
import { assertOwned, type OwnerScope } from './owner-scope.ts'

export interface GetRequest {
  readonly name: string
  readonly headers: IncomingHttpHeaders
  readonly scope?: OwnerScope | undefined
}

export async function getObject(store: Store, model: Model, { name, headers, scope }: GetRequest): Promise<Answer> {
  const stored = await store.get(model, name)
  if (!stored) throw new ApiError('NotFound', `there is no ${model.singular} "${name}"`)
  assertOwned(model, stored, scope)
  const etag = etagOf(stored)
  if (isNotModified(headers, etag)) return jsonAnswer(304, Buffer.alloc(0), { etag })
  return jsonAnswer(200, openedBytes(model, stored), { etag })
}
