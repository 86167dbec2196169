import type { Column } from '../kit/data-table.vue'
import type { ListedModel } from './listed-models.ts'
import { resolved, schemaAt, titleOf, widgetOf, type Schema } from './schema.ts'

const most = 4
/** What people call an object by; it stands first even where it is not indexed. */
const callNames = new Set(['spec.title', 'spec.displayName', 'spec.name'])

/** What a table of a model shows between the name and the time of creation: what it is called, what is indexed, then what is plain. */
export function columnsOf(model: ListedModel, schema: Schema | undefined): readonly Column[] {
  const indexed = model.indexes.filter(({ name }) => !name.startsWith('metadata.') && isField(name, schema))
  const columns = indexed.map(({ name, multi }) => ({
    key: name,
    title: titleOf(name.split('.').at(-1) ?? name, schemaOfField(name, schema)),
    sort: multi ? undefined : name,
  }))
  const known = new Set(columns.map(({ key }) => key))
  const plain = plainFields(schema)
    .filter((name) => !known.has(name))
    .map((name) => ({ key: name, title: titleOf(name.split('.').at(-1) ?? name, schemaOfField(name, schema)) }))
  const all = [...columns, ...plain]
  return [...all.filter(isFirst), ...all.filter((column) => !isFirst(column))].slice(0, most)
}

function isFirst({ key }: Column): boolean {
  return callNames.has(key)
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
