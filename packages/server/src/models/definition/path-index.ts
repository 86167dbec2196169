interface FoundValue {
  readonly pointer: string
  readonly value: unknown
}

/** The values at a path, each with its pointer; empty where the value is missing or null. */
export function valuesAtPath(object: unknown, path: string): readonly FoundValue[] {
  return valuesBelow({ pointer: '', value: object }, path.split('.'))
}

function valuesBelow({ pointer, value }: FoundValue, [step, ...rest]: readonly string[]): readonly FoundValue[] {
  if (value === null || value === undefined) return []
  if (step === undefined) return Array.isArray(value) ? itemsOf({ pointer, value }) : [{ pointer, value }]
  const isList = step.endsWith('[]')
  const key = isList ? step.slice(0, -2) : step
  if (typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, key)) return []
  const found = {
    pointer: `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    value: (value as Record<string, unknown>)[key],
  }
  return isList ? itemsOf(found).flatMap((item) => valuesBelow(item, rest)) : valuesBelow(found, rest)
}

function itemsOf({ pointer, value }: FoundValue): readonly FoundValue[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown, at) => (item === null ? [] : [{ pointer: `${pointer}/${at}`, value: item }]))
}
