import { ApiError } from '@pergola/api'
import type { Answer } from '../base/call.ts'
import type { Store } from '../store/store.ts'
import { jsonAnswer } from './json-answer.ts'
import type { Model } from './model.ts'
import { toBytes } from './object-bytes.ts'

export async function getObject(store: Store, model: Model, name: string): Promise<Answer> {
  const stored = await store.get(model, name)
  if (!stored) throw new ApiError('NotFound', `there is no ${model.singular} "${name}"`)
  return jsonAnswer(200, toBytes(model, stored))
}
