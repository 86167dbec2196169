import { ApiError, isApiError } from '@pergola/client'
import { language } from '../words/words.ts'
import { schemaOfField } from './columns.ts'
import { titleAt, type Schema } from './schema.ts'

/** The error of a duplicate value, with the label of its field instead of the name of the index; other errors stay. */
export function withLabelOfIndex(error: unknown, schema: Schema | undefined, title?: string): unknown {
  if (!isApiError(error) || error.reason !== 'DuplicateIndexValue') return error
  const { index, holder, ...params } = error.params ?? {}
  if (typeof index !== 'string') return error
  const isField = Object.keys(schemaOfField(index, schema)).length > 0
  const field = isField ? titleAt(index.split('.'), schema, language.value) : ''
  const duplicateOf = title ?? String(holder ?? '')
  return new ApiError(error.reason, error.message, {
    ...(error.requestId !== undefined && { requestId: error.requestId }),
    params: { ...params, field, duplicateOf },
    errors: (error.errors ?? []).map((one) => ({
      ...one,
      params: { ...one.params, ...(duplicateOf !== '' && { holder: duplicateOf }) },
    })),
  })
}
