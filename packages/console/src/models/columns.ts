import type { Column } from '../kit/data-table.vue'
import { titlePathOf } from './display.ts'
import { unitOf } from './format.ts'
import type { ListedModel } from './listed-models.ts'
import { resolved, schemaAt, titleOf, widgetOf, type Schema, type Widget } from './schema.ts'

/** Default number of columns beside the title. */
const usual = 5

export interface OfferedColumn extends Column {
  readonly isIndexed: boolean
}

interface Known {
  readonly model: ListedModel
  readonly schema: Schema | undefined
  readonly language: string
}

/** All possible columns of a model beside the title; indexed fields first. */
export function offeredColumns({ model, schema, language }: Known): readonly OfferedColumn[] {
  const title = titlePathOf(model, schema)
  const said = model.display?.columns ?? []
  const indexed = model.indexes.filter(({ name }) => !name.startsWith('metadata.') && isField(name, schema))
  const names = [...indexed.map(({ name }) => name), ...said, ...plainFields(schema)]
  return [...new Set(names)]
    .filter((name) => name !== title && !name.startsWith('metadata.') && isField(name, schema))
    .map((name) => {
      const index = indexed.find((one) => one.name === name)
      return {
        ...columnOf(name, schema, language),
        sort: index && !index.multi ? name : undefined,
        isIndexed: index !== undefined,
      }
    })
}

/** Default columns: those that the model names, else indexed fields, then other plain values. */
export function usualColumns(model: ListedModel, offered: readonly OfferedColumn[]): readonly string[] {
  const said = model.display?.columns
  if (said)
    return said.map((name) => ofMetadata[name] ?? name).filter((name) => offered.some(({ key }) => key === name))
  return offered.slice(0, usual).map(({ key }) => key)
}

/** Columns that every model has, by their paths. */
const ofMetadata: Readonly<Record<string, string>> = {
  'metadata.name': 'name',
  'metadata.creationTimestamp': 'created',
}

const widths: Readonly<Partial<Record<Widget, number>>> = {
  choice: 132,
  number: 116,
  switch: 90,
  date: 120,
  time: 160,
  person: 150,
  reference: 170,
  tags: 170,
}

function columnOf(name: string, schema: Schema | undefined, language: string): Column {
  const field = schemaOfField(name, schema)
  const widget = widgetOf(field, schema)
  const { before, after } = unitOf(field['x-display'])
  const unit = before || after
  const title = titleOf(name.split('.').at(-1) ?? name, field, language)
  return {
    key: name,
    title: unit === '' || widget !== 'number' ? title : `${title}, ${unit}`,
    align: widget === 'number' ? 'end' : 'start',
    width: widths[widget],
  }
}

/** A function index has a name but no field. */
function isField(name: string, schema: Schema | undefined): boolean {
  return schema === undefined || Object.keys(schemaOfField(name, schema)).length > 0
}

export function schemaOfField(name: string, schema: Schema | undefined): Schema {
  return schema ? schemaAt(schema, name.replaceAll('[]', '').split('.')) : {}
}

const plain: ReadonlySet<Widget> = new Set([
  'text',
  'number',
  'switch',
  'choice',
  'date',
  'time',
  'person',
  'reference',
  'tags',
])

function plainFields(schema: Schema | undefined): readonly string[] {
  if (!schema) return []
  return ['spec', 'status'].flatMap((part) => {
    const { properties = {} } = resolved(schema.properties?.[part], schema)
    return Object.entries(properties)
      .filter(([, field]) => plain.has(widgetOf(resolved(field, schema), schema)))
      .map(([name]) => `${part}.${name}`)
  })
}
