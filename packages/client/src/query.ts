import { formatSelector, type UnplacedSelectorTerm } from '@pergola/api'

/** A selector as text, or as terms whose values need no escaping. All terms must hold. */
export type Selector = string | readonly UnplacedSelectorTerm[]

export interface Selection {
  readonly labelSelector?: Selector | undefined
  readonly fieldSelector?: Selector | undefined
  /** Field selectors of which one must hold, beside the others. */
  readonly anyOf?: readonly Selector[] | undefined
}

export interface ListQuery extends Selection {
  readonly page?: number | undefined
  /** Page size; without it, the list contains all objects. */
  readonly size?: number | undefined
  /** `<field>`, `<field>,asc` or `<field>,desc`; most significant key first. */
  readonly sort?: string | readonly string[] | undefined
  readonly exactTotal?: boolean | undefined
  /** Returns only the objects of each page that violate the current schema. */
  readonly nonconforming?: boolean | undefined
  /** Paths of references, such as `spec.event`: the page has the objects that they name in `expanded`. Needs a `size`. */
  readonly expand?: readonly string[] | undefined
  /** Such as `registrations.events.example.com/spec.event`: counts those that refer to each object. Needs a `size`. */
  readonly referrers?: readonly string[] | undefined
  /** Token from the previous page. It contains the rest of the query, which is then omitted. */
  readonly continue?: string | undefined
}

/** Paths such as `spec.title`: only these are returned, and what names the object. */
export interface PartQuery {
  readonly fields: readonly string[]
}

type Parameter = string | number | boolean | undefined

export function selectionParameters({
  labelSelector,
  fieldSelector,
  anyOf = [],
}: Selection): readonly (readonly [string, Parameter])[] {
  return [
    ['labelSelector', textOf(labelSelector)],
    ['fieldSelector', textOf(fieldSelector)],
    ...anyOf.map((alternative) => ['anyOf', textOf(alternative)] as const),
  ]
}

export function listParameters(query: ListQuery & Partial<PartQuery>): readonly (readonly [string, Parameter])[] {
  const { page, size, sort = [], exactTotal, nonconforming, fields, expand = [], referrers = [] } = query
  return [
    ...Object.entries({
      page,
      size,
      exactTotal,
      nonconforming,
      fields: fields?.join(','),
      continue: query.continue,
    }),
    ...selectionParameters(query),
    ...[sort].flat().map((key) => ['sort', key] as const),
    ...expand.map((path) => ['expand', path] as const),
    ...referrers.map((field) => ['referrers', field] as const),
  ]
}

/** Omits parameters that are undefined or false. */
export function queryString(parameters: Iterable<readonly [string, Parameter]>): string {
  const query = new URLSearchParams()
  for (const [name, value] of parameters) {
    if (value !== undefined && value !== false) query.append(name, String(value))
  }
  return query.size === 0 ? '' : `?${query.toString()}`
}

function textOf(selector: Selector | undefined): string | undefined {
  return selector === undefined || typeof selector === 'string' ? selector : formatSelector(selector)
}
