import { parseAllDocuments } from 'yaml'

/** The documents of a YAML text, without empty ones; throws with the location of an error. */
export function readYamlDocuments(text: string): readonly unknown[] {
  const documents = parseAllDocuments(text)
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error) throw new Error(error.message)
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    return value === null ? [] : [value]
  })
}
