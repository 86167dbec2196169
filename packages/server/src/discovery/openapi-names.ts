import type { Model } from '../models/model.ts'

/** What is called `wanted` in a document where nothing of its kinds is. */
export type FreeName = (wanted: string) => string

/** A kind keeps its name; whatever would have the same one gets an underscore, which no kind holds. */
export function createFreeName(models: readonly Pick<Model, 'kind'>[]): FreeName {
  const taken = new Set(models.map(({ kind }) => kind))
  return (wanted) => (taken.has(wanted) ? `${wanted}_` : wanted)
}

export function reference(component: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${component}` }
}

/**
 * A definition of a model as a component. OpenAPI allows only letters, digits, dots, dashes and underscores there; a
 * name that holds others, or that could be taken for the result, has all its other characters written as numbers.
 */
export function definitionName(kind: string, name: string): string {
  const isPlain = /^[\w.-]+$/.test(name) && !/_[0-9a-f]+_/.test(name)
  const written = name.replaceAll(/[^A-Za-z0-9]/gu, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`)
  return `${kind}.${isPlain ? name : written}`
}
