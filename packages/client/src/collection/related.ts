import { ApiError } from '@pergola/api'
import type { List, ResourceType } from '../object-types.ts'
import type { ListQuery } from '../query.ts'
import type { AnyRelated, Page, RelatedOptions } from './collection.ts'
import type { Served } from './served.ts'

export function relatedQuery({ expand, referrers }: RelatedOptions): Pick<ListQuery, 'expand' | 'referrers'> {
  return { expand, referrers: referrers?.map(([of, path]) => fieldName(of, path)) }
}

/** Reads what the page answers about objects of other models. `references` names the model of each path. */
export function relatedOf<Stored>(
  page: Pick<List<Stored>, 'expanded' | 'expandedIsPartial' | 'referrers'>,
  references: Served<never>['references'] = {},
): Pick<Page<Stored>, 'expandedIsPartial' | 'related' | 'referrers'> {
  const { expanded = {}, expandedIsPartial = false, referrers = {} } = page
  const [only, ...others] = Object.keys(expanded)
  return {
    expandedIsPartial,
    related: ((item: Stored, path: string): AnyRelated => {
      const resource = references[path] ?? only
      if (references[path] === undefined && others.length > 0) {
        throw new ApiError(
          'BadRequest',
          `the model of "${path}" is not known here; expand references of one model at a time`,
        )
      }
      const objects = new Map(Object.entries(expanded[resource ?? ''] ?? {}))
      const named = valueAt(item, path.split('.'))
      if (!Array.isArray(named)) return objects.get(String(named))
      return named.flatMap((name) => objects.get(String(name)) ?? [])
    }) as Page<Stored>['related'],
    referrers: (of, path, name) => referrers[fieldName(of, path)]?.[name],
  }
}

/** For a field of the items of an array, all its values. */
function valueAt(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return value
  const inside = (value as Readonly<Record<string, unknown>> | undefined)?.[step.replace('[]', '')]
  return step.endsWith('[]') && Array.isArray(inside)
    ? inside.map((item) => valueAt(item, rest)).filter((one) => one !== undefined)
    : valueAt(inside, rest)
}

function fieldName({ group, plural }: ResourceType, path: string): string {
  return `${group === '' ? plural : `${plural}.${group}`}/${path}`
}
