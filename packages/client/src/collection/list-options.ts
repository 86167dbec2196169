/** Fields of every model. */
interface CommonFields {
  readonly 'metadata.name': string
  readonly 'metadata.creationTimestamp': string
  readonly 'metadata.deletionTimestamp': string
}

export interface ListOptions<Fields> {
  /** By indexed field: the value, or a condition. All must hold. */
  readonly where?: Where<Fields & CommonFields>
  /** By label. */
  readonly labels?: Readonly<Record<string, LabelCondition>>
  /** The first decides first; creation order decides last. */
  readonly sort?: SortKey<Fields & CommonFields> | readonly SortKey<Fields & CommonFields>[]
}

/** A field of several values is met by any one of them. */
export type Where<Fields> = { readonly [Name in keyof Fields]?: Condition<OneOf<Fields[Name]>> }

type OneOf<Values> = Values extends readonly (infer One)[] ? One : Values

export type Condition<Value> =
  | Value
  | { readonly not: Value }
  | { readonly in: readonly Value[] }
  | { readonly notIn: readonly Value[] }
  | { readonly exists: boolean }
  | Range<Value>
  | { readonly startsWith: string }

/** One end or two. */
export interface Range<Value> {
  readonly above?: Value
  readonly atLeast?: Value
  readonly below?: Value
  readonly atMost?: Value
}

export type LabelCondition =
  | string
  | { readonly not: string }
  | { readonly in: readonly string[] }
  | { readonly notIn: readonly string[] }
  | { readonly exists: boolean }

/** In the order of its index unless a direction is said. Several values have no order. */
export type SortKey<Fields> = Sortable<Fields> | `${Sortable<Fields>} ${'asc' | 'desc'}`

type Sortable<Fields> = {
  [Name in keyof Fields & string]: Fields[Name] extends readonly unknown[] ? never : Name
}[keyof Fields & string]
