import { ApiError } from '@pergola/api'
import { methodNotAllowed } from '../../call/method-not-allowed.ts'
import type { Model } from '../model.ts'

/** Throws unless clients may write the status of the model's objects; there is no other sub-resource. */
export function refuseSubresource(model: Model, subresource: string): void {
  if (subresource === 'status' && model.statusSubresource && !model.rules.ownsStatus) return
  throw new ApiError('NotFound', `${model.plural} have no sub-resource "${subresource}"`, {
    params: { plural: model.plural, subresource },
  })
}

/** Throws for objects that are created elsewhere; `methods` are those of the collection. */
export function refuseCreate({ plural, rules: { createdAt } }: Model, methods: readonly string[]): void {
  if (createdAt !== undefined) throw methodNotAllowed(`${plural} are created at ${createdAt}`, methods)
}
