import { formatSelector, parseSelector, type UnplacedSelectorTerm } from '@pergola/api'
import { titleOf, widgetOf, type Widget } from './schema.ts'
import { schemaOfField } from './columns.ts'
import type { ListedModel } from './listed-models.ts'
import type { Schema } from './schema.ts'

export type Operator = UnplacedSelectorTerm['op']

/** A field that the server can filter by. */
export interface FilterField {
  readonly key: string
  readonly title: string
  readonly widget: Widget
  readonly schema: Schema
  /** A value that the plugin computes to keep objects apart; nobody would filter by it. */
  readonly isKey?: boolean
}

/** The parts of a condition chosen so far. */
export interface Draft {
  readonly field?: FilterField
  readonly op?: Operator
  /** Values of "is one of". */
  readonly values?: readonly string[]
}

interface Known {
  readonly model: ListedModel
  readonly schema: Schema | undefined
  readonly language: string
  readonly nameTitle: string
}

export function filterFields({ model, schema, language, nameTitle }: Known): readonly FilterField[] {
  const named = { key: 'metadata.name', title: nameTitle, widget: 'text', schema: {} } as const
  const indexed = model.indexes
    .filter(({ name }) => !name.startsWith('metadata.'))
    .map(({ name, type, unique }) => {
      const found = schemaOfField(name, schema)
      const isList = widgetOf(found, schema) === 'tags' || found.type === 'array'
      const field = isList ? (found.items ?? {}) : found
      const known = Object.keys(field).length > 0 ? field : { type }
      const title = titleOf(name.replace(/\[\]$/, '').split('.').at(-1) ?? name, found, language)
      return {
        key: name,
        title,
        widget: widgetOf(known, schema),
        schema: known,
        isKey: unique && Object.keys(found).length === 0,
      }
    })
  return [...indexed, named]
}

/** Fields that a table may show but that cannot be filtered. */
export function unindexedTitles({ model, schema, language }: Known): readonly string[] {
  const known = new Set(model.indexes.map(({ name }) => name.split('.')[1] ?? name))
  const { properties = {} } = schema ? schemaOfField('spec', schema) : {}
  return Object.entries(properties)
    .filter(([name]) => !known.has(name))
    .map(([name, field]) => titleOf(name, field, language))
}

/** Operators for the type, the most likely first. */
export function operatorsFor({ widget }: FilterField): readonly Operator[] {
  if (widget === 'switch') return ['=', 'present', 'absent']
  if (widget === 'choice') return ['in', 'not in', 'present', 'absent']
  if (widget === 'number') return ['>=', '<=', '=', '>', '<', 'present', 'absent']
  if (widget === 'date' || widget === 'time') return ['>=', '<', '>', '<=', 'present', 'absent']
  return ['=', 'prefix', '!=', 'present', 'absent']
}

export function needsValue(op: Operator): boolean {
  return op !== 'present' && op !== 'absent'
}

/** The possible values, if there are few. */
export function valuesOf({ widget, schema }: FilterField): readonly string[] {
  if (widget === 'switch') return ['true', 'false']
  return (schema.enum ?? []).map(String)
}

/** The selector term of a draft; undefined while incomplete. */
export function termOf({ field, op, values = [] }: Draft, typed: string): UnplacedSelectorTerm | undefined {
  if (!field || !op) return undefined
  const { key } = field
  if (op === 'present' || op === 'absent') return { key, op }
  if (op === 'in' || op === 'not in') {
    const all = values.length > 0 ? values : typed === '' ? [] : [typed]
    const [first] = all
    if (first === undefined) return undefined
    return all.length === 1 && op === 'in' ? { key, op: '=', value: first } : { key, op, values: all }
  }
  return typed === '' ? undefined : { key, op, value: typed }
}

/** Parses pasted text as a selector; undefined if it is none. */
export function pastedTerms(text: string, fields: readonly FilterField[]): readonly UnplacedSelectorTerm[] | undefined {
  if (!/[=<>!]/.test(text)) return undefined
  try {
    const terms = parseSelector('fieldSelector', text.trim())
    return terms.every(({ key }) => fields.some((field) => field.key === key)) ? terms : undefined
  } catch {
    return undefined
  }
}

export function valuesOfTerm(term: UnplacedSelectorTerm): readonly string[] {
  if ('values' in term) return term.values
  return 'value' in term ? [term.value] : []
}

/** Turns a term back into a draft, to edit it. */
export function draftOf(term: UnplacedSelectorTerm, fields: readonly FilterField[]): Draft {
  const field = fields.find(({ key }) => key === term.key)
  if (!field) return {}
  const op = field.widget === 'choice' && term.op === '=' ? 'in' : term.op
  return { field, op, values: valuesOfTerm(term) }
}

export function keyOfTerm(term: UnplacedSelectorTerm): string {
  return formatSelector([term])
}
