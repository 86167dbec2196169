import type { Role } from '@pergola/api'
import { manyOf } from '../models/kind-words.ts'
import type { ListedModel } from '../models/listed-models.ts'
import type { Words } from '../words/en.ts'
import { allowsEverything, summaryOf } from './deeds.ts'
import { effectiveRules } from './role-words.ts'

export interface SentenceParts {
  readonly all: readonly Role[]
  readonly models: readonly ListedModel[]
  readonly words: Words
}

/** Describes in one sentence what a role allows. */
export function roleSentence(role: Role, { all, models, words }: SentenceParts): string {
  const { roleAbout, roleDoes, deeds } = words
  const about = roleAbout[role.metadata.name]
  if (about !== undefined) return about
  const rules = effectiveRules(role, all).map(({ rule }) => rule)
  if (allowsEverything(rules)) return roleDoes.everything
  const { parts, others } = summaryOf(rules, oneOfEach(models))
  const texts = parts.map((part) =>
    roleDoes.part(
      part.deeds.map((deed) => deeds[deed]),
      part.models.map((model) => manyOf(model).toLowerCase()),
    ),
  )
  const told = others > 0 ? [...texts, roleDoes.other(others)] : texts
  return told.length === 0 ? roleDoes.nothing : roleDoes.all(told)
}

/** Versions of a model share their objects, so they count once. */
function oneOfEach(models: readonly ListedModel[]): readonly ListedModel[] {
  return [...new Map(models.map((model) => [`${model.group}/${model.plural}`, model])).values()]
}
