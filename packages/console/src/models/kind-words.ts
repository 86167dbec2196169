import { words } from '../words/words.ts'
import type { ListedModel } from './listed-models.ts'

type Named = Pick<ListedModel, 'kind'> & Partial<Pick<ListedModel, 'isOwn'>>

/** Singular in a sentence: `todo`, `config map`, `API token`. */
export function oneOf(model: Named): string {
  return ownName(model) ?? inWords(model.kind)
}

/** Plural as a title: `Todos`, `Config maps`. */
export function manyOf(model: Named & Pick<ListedModel, 'plural'>): string {
  const text = manyInText(model)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Plural in a sentence: `todos`, `config maps`. */
export function manyInText(model: Named & Pick<ListedModel, 'plural'>): string {
  const { kind, plural } = model
  const shared = sharedLength(kind, plural)
  return ownName(model) ?? inWords(kind.slice(0, shared) + plural.slice(shared))
}

/** `1 todo`, `3 config maps`. */
export function countOf(count: number, model: ListedModel | undefined): string {
  return words.value.objects.countOf(count, ...(model ? [oneOf(model), manyInText(model)] : []))
}

/** A plugin's model of the same kind keeps its name. */
function ownName({ kind, isOwn = false }: Named): string | undefined {
  return isOwn ? words.value.kinds[kind] : undefined
}

/** Length of the common prefix of kind and plural: 4 for `todos`, 12 for `networkpolicies`. */
function sharedLength(kind: string, plural: string): number {
  const differs = Array.from(kind.toLowerCase()).findIndex((letter, at) => letter !== plural[at])
  return differs < 0 ? kind.length : differs
}

/** Keeps the capitals of abbreviations. */
function inWords(name: string): string {
  return name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/g, ' ')
    .split(' ')
    .map((word) => (/^[A-Z]{2,}/.test(word) ? word : word.toLowerCase()))
    .join(' ')
}
