import type { ListedModel } from './listed-models.ts'

/** Singular in a sentence: `todo`, `config map`, `API token`. */
export function oneOf({ kind }: Pick<ListedModel, 'kind'>): string {
  return inWords(kind)
}

/** Plural as a title: `Todos`, `Config maps`. */
export function manyOf({ kind, plural }: Pick<ListedModel, 'kind' | 'plural'>): string {
  const text = inWords(kind.slice(0, sharedLength(kind, plural)) + plural.slice(sharedLength(kind, plural)))
  return text.charAt(0).toUpperCase() + text.slice(1)
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
