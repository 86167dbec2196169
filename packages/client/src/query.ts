import { formatSelector, type UnplacedSelectorTerm } from '@pergola/api'

/** As text, or as terms, whose values need no escapes. All terms must hold. */
export type Selector = string | readonly UnplacedSelectorTerm[]

export interface Selection {
  readonly labelSelector?: Selector | undefined
  readonly fieldSelector?: Selector | undefined
}

export interface ListQuery extends Selection {
  readonly page?: number | undefined
  /** All objects when it is left out. */
  readonly size?: number | undefined
  /** `<field>`, `<field>,asc` or `<field>,desc`; the first decides first. */
  readonly sort?: string | readonly string[] | undefined
  readonly exactTotal?: boolean | undefined
  /** Of each page, only objects that the schema of today would not take. */
  readonly nonconforming?: boolean | undefined
  /** Of the page before; carries the rest of the query, which is then left out. */
  readonly continue?: string | undefined
}

type Parameter = string | number | boolean | undefined

export function selectionParameters({ labelSelector, fieldSelector }: Selection): Readonly<Record<string, Parameter>> {
  return { labelSelector: textOf(labelSelector), fieldSelector: textOf(fieldSelector) }
}

export function listParameters(query: ListQuery): readonly (readonly [string, Parameter])[] {
  const { page, size, sort = [], exactTotal, nonconforming } = query
  return [
    ...Object.entries({
      page,
      size,
      exactTotal,
      nonconforming,
      continue: query.continue,
      ...selectionParameters(query),
    }),
    ...[sort].flat().map((key) => ['sort', key] as const),
  ]
}

/** What is undefined is left out, and so is what is false. */
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
