import { ApiError, isApiError } from '@pergola/api'
import type { Store } from '../../store/store.ts'
import { definitionKey, statusOf } from './definition-model.ts'
import { modelObjectName } from './model-object-name.ts'
import type { Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'

export interface UnbuiltParts {
  readonly store: Store
  /** Whether the caller may know of this object of the model. */
  readonly mayGet: (name: string) => Promise<boolean>
}

/**
 * The error for a request that needs an index which is not built. The build of a unique index ends at duplicates: then there is
 * nothing to wait for, so the error says what stands in the way. Any other error passes unchanged.
 */
export async function unbuiltIndex(error: unknown, model: Model, { store, mayGet }: UnbuiltParts): Promise<unknown> {
  if (!isApiError(error) || error.reason !== 'IndexBuilding') return error
  const name = modelObjectName(model)
  const defined = await store.get(definitionKey, name)
  const status = defined && statusOf(fromData(defined.data))
  if (status?.phase !== 'DuplicateValues' || status.edition !== model.edition) return error
  const { index, pairs: [pair] = [] } = status.duplicates ?? {}
  const isNamed = pair && (await mayGet(pair.first)) && (await mayGet(pair.second))
  const holders = isNamed ? `"${pair.first}" and "${pair.second}"` : 'some objects'
  const cure = 'change or delete one of each and restart the server, or declare the index without unique'
  return new ApiError(
    'IndexBuilding',
    `indexes of ${model.plural} cannot be built: ${index} cannot become unique, because ${holders} have the same value; ` +
      `the status of model "${name}" lists the duplicates; ${cure}`,
    { cause: error },
  )
}
