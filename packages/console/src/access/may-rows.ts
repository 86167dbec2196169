import type { ListedModel } from '../models/listed-models.ts'
import { deeds, verbOf, type Deed } from './deeds.ts'
import type { Explanation, ReviewedRequest } from './who-may.ts'

/** The actions that a user may perform on the objects of a model. */
export interface MayRow {
  readonly model: ListedModel
  readonly may: ReadonlySet<Deed>
  /** The user's roles that allow it. */
  readonly roles: readonly string[]
}

/** One version of each model; models of plugins come first. */
function reviewed(models: readonly ListedModel[]): readonly ListedModel[] {
  const byPath = new Map(models.map((model) => [`${model.group}/${model.plural}`, model]))
  return [...byPath.values()].toSorted((one, other) => Number(one.isOwn) - Number(other.isOwn))
}

export function requestsFor(models: readonly ListedModel[]): readonly ReviewedRequest[] {
  return reviewed(models).flatMap(({ group, plural }) =>
    deeds.map((deed) => ({ verb: verbOf(deed, false), group, resource: plural })),
  )
}

/** `answers` belong to `requestsFor` of the same models. Leaves out actions that the model does not support. */
export function mayRows(models: readonly ListedModel[], answers: readonly Explanation[]): readonly MayRow[] {
  return reviewed(models).map((model, at) => {
    const allowed = deeds.flatMap((deed, nth) => {
      const answer = answers[at * deeds.length + nth]
      return answer?.allowed && model.verbs.includes(verbOf(deed, false)) ? [{ deed, by: answer.by?.role }] : []
    })
    return {
      model,
      may: new Set(allowed.map(({ deed }) => deed)),
      roles: [...new Set(allowed.flatMap(({ by }) => by ?? []))],
    }
  })
}
