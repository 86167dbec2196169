import type { Model } from '../models/model.ts'

/** A component name that does not collide with a kind in the document. */
export type FreeName = (wanted: string) => string

/** A kind keeps its name; other components with the same name get an underscore, which no kind contains. */
export function createFreeName(models: readonly Pick<Model, 'kind'>[]): FreeName {
  const taken = new Set(models.map(({ kind }) => kind))
  return (wanted) => (taken.has(wanted) ? `${wanted}_` : wanted)
}

export function reference(component: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${component}` }
}

/**
 * The component name of a model's `$defs` entry. OpenAPI allows only letters, digits, dots, dashes and underscores; in a name
 * with other characters, or one that could be mistaken for an encoded name, all other characters are written as numbers.
 */
export function definitionName(kind: string, name: string): string {
  const isPlain = /^[\w.-]+$/.test(name) && !/_[0-9a-f]+_/.test(name)
  const written = name.replaceAll(/[^A-Za-z0-9]/gu, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`)
  return `${kind}.${isPlain ? name : written}`
}
