import { defaultTitlePaths, schemaReferences, type JsonSchema } from '@pergola/api'
import type { ApiObject, List } from '@pergola/client'
import { fullName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { shortened } from '../terminal/visible.ts'
import { headOf, valueAt, widestCell, type Column } from './list-columns.ts'

type Answered = Pick<List<ApiObject>, 'expanded' | 'expandedIsPartial'>

/** What `--expand` adds to a list. */
export interface Expansion {
  /** Called with each page before its objects are printed. */
  readonly take: (page: Answered) => void
  /** All that pages have answered. */
  readonly answered: () => Answered
  /** A column with the title of the object that each reference names, or its name. */
  columns(schema: JsonSchema): readonly Column[]
}

export interface ExpansionParts {
  readonly paths: readonly string[]
  readonly known: readonly KnownResource[]
  /** Whether `answered` is used; otherwise only the last page is kept. */
  readonly keepsAll: boolean
}

export function createExpansion({ paths, known, keepsAll }: ExpansionParts): Expansion {
  let expanded: NonNullable<Answered['expanded']> = {}
  let expandedIsPartial = false
  const titleOf = (resource: string, name: unknown): string => {
    const object = new Map(Object.entries(expanded[resource] ?? {})).get(String(name))
    const title = known.find((one) => fullName(one) === resource)?.display?.title
    const titles = (title === undefined ? defaultTitlePaths : [title]).map((path) => valueAt(object, path.split('.')))
    return String(titles.find((text) => typeof text === 'string') ?? name)
  }
  return {
    take: (page) => {
      const before = keepsAll ? expanded : {}
      const merged = Object.entries(page.expanded ?? {}).map(([resource, objects]) => [
        resource,
        { ...before[resource], ...objects },
      ])
      expanded = Object.fromEntries(merged) as typeof expanded
      expandedIsPartial ||= page.expandedIsPartial ?? false
    },
    answered: () => ({ expanded, ...(expandedIsPartial && { expandedIsPartial }) }),
    columns: (schema) =>
      schemaReferences({ properties: {}, ...schema })
        .filter(({ path }) => paths.includes(path))
        .map(({ path, target }) => ({
          head: `${headOf(path, {})} TITLE`,
          cellOf: (object) => {
            const names = [valueAt(object, path.replace('[]', '').split('.'))].flat()
            const shown = names.flatMap((name) => (name === undefined ? [] : [titleOf(fullName(target), name)]))
            return shortened(shown.join(', '), widestCell)
          },
        })),
  }
}
