import type { Column } from '../kit/data-table.vue'
import type { ListedModel } from './listed-models.ts'
import { resolved, schemaAt, titleOf, widgetOf, type Schema } from './schema.ts'

/** How many columns a table shows between the name and the time of creation until somebody chooses others. */
const usual = 4
/** What people call an object by; it stands first even where it is not indexed. */
const callNames = new Set(['spec.title', 'spec.displayName', 'spec.name'])

export interface OfferedColumn extends Column {
  readonly isIndexed: boolean
}

/** Every field that a table of the model can show beside the name: the indexed ones first, in the order of the table. */
export function offeredColumns(model: ListedModel, schema: Schema | undefined): readonly OfferedColumn[] {
  const indexed = model.indexes.filter(({ name }) => !name.startsWith('metadata.') && isField(name, schema))
  const columns = indexed.map(({ name, multi }) => ({
    ...columnOf(name, schema),
    sort: multi ? undefined : name,
    isIndexed: true,
  }))
  const known = new Set(columns.map(({ key }) => key))
  const plain = plainFields(schema)
    .filter((name) => !known.has(name))
    .map((name) => ({ ...columnOf(name, schema), isIndexed: false }))
  return [...columns, ...plain]
}

/** What a table shows until somebody chooses: what the object is called, what is indexed, then what is plain. */
export function usualColumns(offered: readonly OfferedColumn[]): readonly string[] {
  return inTableOrder(offered)
    .slice(0, usual)
    .map(({ key }) => key)
}

/** What people call an object by stands next to its name. */
export function inTableOrder<Offered extends Column>(columns: readonly Offered[]): readonly Offered[] {
  return [...columns.filter(isFirst), ...columns.filter((column) => !isFirst(column))]
}

function isFirst({ key }: Column): boolean {
  return callNames.has(key)
}

function columnOf(name: string, schema: Schema | undefined): Column {
  const field = schemaOfField(name, schema)
  return {
    key: name,
    title: titleOf(name.split('.').at(-1) ?? name, field),
    align: widgetOf(field) === 'number' ? 'end' : 'start',
  }
}

/** An index that a function makes has a name, but no field. */
function isField(name: string, schema: Schema | undefined): boolean {
  return schema === undefined || Object.keys(schemaOfField(name, schema)).length > 0
}

function schemaOfField(name: string, schema: Schema | undefined): Schema {
  return schema ? schemaAt(schema, name.split('.')) : {}
}

function plainFields(schema: Schema | undefined): readonly string[] {
  if (!schema) return []
  return ['spec', 'status'].flatMap((part) => {
    const { properties = {} } = resolved(schema.properties?.[part], schema)
    return Object.entries(properties)
      .filter(([, field]) => ['text', 'number', 'switch', 'choice', 'time'].includes(widgetOf(resolved(field, schema))))
      .map(([name]) => `${part}.${name}`)
  })
}
