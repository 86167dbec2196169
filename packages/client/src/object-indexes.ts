import type { ApiObject } from '@pergola/api'

/** Returns the index values of an object; undefined or an empty array leaves it out of the index. */
export type IndexFunction<Stored> = (object: Stored) => string | readonly string[] | undefined

/** In-memory indexes: objects by index value. */
export class ObjectIndexes<Stored extends ApiObject> {
  readonly #indexes: readonly { readonly valuesOf: IndexFunction<Stored>; readonly found: Map<string, Set<Stored>> }[]
  readonly #byName: ReadonlyMap<string, Map<string, Set<Stored>>>

  constructor(functions: Readonly<Record<string, IndexFunction<Stored>>>) {
    const named = Object.entries(functions).map(([name, valuesOf]) => ({ name, valuesOf, found: new Map() }))
    this.#indexes = named
    this.#byName = new Map(named.map(({ name, found }) => [name, found]))
  }

  add(object: Stored): void {
    for (const { valuesOf, found } of this.#indexes) {
      for (const value of listed(valuesOf(object))) {
        const objects = found.get(value)
        if (objects) objects.add(object)
        else found.set(value, new Set([object]))
      }
    }
  }

  /** Must be the same object that was added, because its index values are computed again. */
  remove(object: Stored): void {
    for (const { valuesOf, found } of this.#indexes) {
      for (const value of listed(valuesOf(object))) {
        const objects = found.get(value)
        objects?.delete(object)
        if (objects?.size === 0) found.delete(value)
      }
    }
  }

  find(index: string, value: string): readonly Stored[] {
    const found = this.#byName.get(index)
    if (!found) throw new Error(`there is no index "${index}"; there are ${[...this.#byName.keys()].join(', ')}`)
    return [...(found.get(value) ?? [])]
  }
}

function listed(values: string | readonly string[] | undefined): readonly string[] {
  return values === undefined ? [] : typeof values === 'string' ? [values] : values
}
