/** Fields that every model can be selected and sorted by. */
interface CommonFields {
  readonly 'metadata.name': string
  readonly 'metadata.creationTimestamp': string
  readonly 'metadata.deletionTimestamp': string
}

export interface ListOptions<Fields> {
  /**
   * Conditions by indexed field: a value to equal, or a condition. All must hold, and those of one of `anyOf`, each of which
   * needs a condition that is not negative.
   */
  readonly where?: Where<Fields & CommonFields>
  /** Conditions by label. All must hold. */
  readonly labels?: Readonly<Record<string, LabelCondition>>
  /**
   * Sort keys, most significant first. Ties are in order of creation, in the direction of the last key; newest first without
   * keys.
   */
  readonly sort?: SortKey<Fields & CommonFields> | readonly SortKey<Fields & CommonFields>[]
}

/** Conditions by field. A field with several values matches when any of them does. */
export type Where<Fields> = Conditions<Fields> & { readonly anyOf?: readonly Conditions<Fields>[] }

type Conditions<Fields> = { readonly [Name in keyof Fields]?: Condition<OneOf<Fields[Name]>> }

type OneOf<Values> = Values extends readonly (infer One)[] ? One : Values

export type Condition<Value> =
  | Value
  | { readonly not: Value }
  | { readonly in: readonly Value[] }
  | { readonly notIn: readonly Value[] }
  | { readonly exists: boolean }
  | Range<Value>
  | { readonly startsWith: string }

/** A range with one or two bounds. */
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

/**
 * A field, optionally with a direction: `spec.due desc`, or `spec.due,desc` as in a URL. Default is the order of its index. Fields
 * with several values cannot be sorted by.
 */
export type SortKey<Fields> = Sortable<Fields> | `${Sortable<Fields>}${' ' | ','}${'asc' | 'desc'}`

type Sortable<Fields> = {
  [Name in keyof Fields & string]: Fields[Name] extends readonly unknown[] ? never : Name
}[keyof Fields & string]
