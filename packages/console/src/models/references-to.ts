import type { ListedModel } from './listed-models.ts'

/** A field of a model that names objects of another one. */
export interface ReferenceFrom {
  readonly model: ListedModel
  readonly path: string
}

/** References of other models to this one; versions of a model share their objects. */
export function referencesTo(
  { group, plural }: Pick<ListedModel, 'group' | 'plural'>,
  models: readonly ListedModel[],
): readonly ReferenceFrom[] {
  const found = models.flatMap((model) =>
    model.indexes
      .filter(({ refersTo }) => refersTo?.group === group && refersTo.plural === plural)
      .map(({ name: path }) => ({ model, path })),
  )
  return [...new Map(found.map((one) => [`${one.model.plural}.${one.model.group}/${one.path}`, one])).values()]
}
