/** The value at `spec.title` of an object; at `subjects.name`, the values of all items. */
export function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce(within, object)
}

function within(at: unknown, name: string): unknown {
  if (Array.isArray(at)) return at.map((item: unknown) => within(item, name)).filter((value) => value !== undefined)
  return typeof at === 'object' && at !== null ? (at as Readonly<Record<string, unknown>>)[name] : undefined
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** An RFC 3339 timestamp. */
export function isTime(value: unknown): boolean {
  return typeof value === 'string' && timePattern.test(value)
}

/** A cell's text: one line, never markup. */
export function cellText(value: unknown, words: { readonly yes: string; readonly no: string }): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (Array.isArray(value)) return value.map((one) => cellText(one, words)).join(', ')
  if (typeof value === 'object') return JSON.stringify(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
