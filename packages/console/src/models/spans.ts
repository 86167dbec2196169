import { resolved, widgetOf, type Schema, type Widget } from './schema.ts'

const spans: Readonly<Record<Widget, 2 | 3 | 6>> = {
  text: 3,
  'long-text': 6,
  secret: 3,
  number: 2,
  switch: 2,
  choice: 3,
  date: 2,
  time: 3,
  person: 3,
  reference: 3,
  group: 6,
  tags: 3,
  table: 6,
  list: 6,
  map: 6,
  any: 6,
}
const longLine = 100

const columns = 6

/** How many of the form's six columns each field takes. Two short fields that stand alone in a row share it equally. */
export function spansOf(fields: readonly Schema[], whole: Schema): readonly number[] {
  const rows: number[][] = []
  for (const given of fields) {
    const field = resolved(given, whole)
    const span = spanOf(widgetOf(field, whole), field)
    const row = rows.at(-1)
    if (row && row.reduce((sum, one) => sum + one, span) <= columns) row.push(span)
    else rows.push([span])
  }
  return rows.flatMap((row) => (row.length === 2 ? [3, 3] : row))
}

function spanOf(widget: Widget, { maxLength = 0, enum: values = [] }: Schema): 2 | 3 | 6 {
  if (widget === 'text' && maxLength >= longLine) return 6
  if (widget === 'choice' && isSegmented(values)) return 6
  return spans[widget]
}

const mostSegments = 5
const mostLetters = 44

/** Few short values: all are visible as radio buttons. */
export function isSegmented(values: readonly unknown[]): boolean {
  const letters = values.reduce((sum: number, value) => sum + String(value).length, 0)
  return values.length <= mostSegments && letters <= mostLetters
}
