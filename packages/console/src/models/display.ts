import type { ApiObject } from '@pergola/client'
import { valueAt } from './cell-text.ts'
import type { ListedModel } from './listed-models.ts'
import { resolved, schemaAt, type Schema } from './schema.ts'

const usualTitles = ['spec.title', 'spec.displayName', 'spec.name', 'spec.subject']

/** Path of the title field; undefined if the title is the API name. */
export function titlePathOf(model: ListedModel | undefined, schema: Schema | undefined): string | undefined {
  const said = model?.display?.title
  if (said !== undefined) return said === 'metadata.name' ? undefined : said
  return usualTitles.find((path) => schema !== undefined && schemaAt(schema, path.split('.')).type === 'string')
}

/** The title path that the server can search by; undefined when it has no index. */
export function titleIndexOf(model: Pick<ListedModel, 'display' | 'indexes'>): string | undefined {
  const said = model.display?.title
  const paths = said === undefined ? usualTitles : [said]
  return paths.find((path) => model.indexes.some(({ name, multi }) => name === path && !multi))
}

export function titleOfObject(object: ApiObject, path: string | undefined): string {
  const value = path === undefined ? undefined : valueAt(object, path)
  return typeof value === 'string' && value.trim() !== '' ? value : object.metadata.name
}

/** The status field: the first enum with tones, else one named state or phase. */
export function statePathOf(schema: Schema | undefined): string | undefined {
  if (!schema) return undefined
  const enums = ['spec', 'status'].flatMap((part) => {
    const { properties = {} } = resolved(schema.properties?.[part], schema)
    return Object.entries(properties)
      .map(([name, field]) => ({ name, path: `${part}.${name}`, field: resolved(field, schema) }))
      .filter(({ field }) => field.enum !== undefined)
  })
  const toned = enums.find(({ field }) => field['x-display']?.tones !== undefined)
  return (toned ?? enums.find(({ name }) => ['state', 'status', 'phase', 'stage'].includes(name)))?.path
}
