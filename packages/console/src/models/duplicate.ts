import { isApiError, type ResourceType } from '@pergola/client'
import { client } from '../server/client.ts'
import { titleOfObject, titlePathOf } from './display.ts'
import { withLabelOfIndex } from './duplicate-words.ts'
import type { ListedModel } from './listed-models.ts'
import type { Schema } from './schema.ts'

interface Known {
  readonly type: ResourceType
  readonly model: ListedModel | undefined
  readonly schema: Schema | undefined
}

/** The error of a duplicate value, with the title of the object that has it; other errors stay. */
export async function withTitleOfHolder(error: unknown, known: Known): Promise<unknown> {
  const holder = isApiError(error) ? error.params?.['holder'] : undefined
  if (typeof holder !== 'string') return withLabelOfIndex(error, known.schema)
  return withLabelOfIndex(error, known.schema, await titleOf(holder, known))
}

/** Without the right to read the object, its name. */
async function titleOf(name: string, { type, model, schema }: Known): Promise<string> {
  try {
    return titleOfObject(await client.resource(type).get(name), titlePathOf(model, schema))
  } catch {
    return name
  }
}
