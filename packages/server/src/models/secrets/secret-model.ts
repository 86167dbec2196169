import type { Caller } from '../../call/call.ts'
import { createBuiltInModel } from '../definition/built-in-model.ts'
import type { ModelDefinition } from '../definition/definition.ts'
import type { JsonObject } from '../object.ts'
import type { Model, WriteContext } from '../model.ts'
import { dataKeys, type CheckData } from './config-map-model.ts'
import type { SecretSealing } from './secret-sealing.ts'

const definition: ModelDefinition = {
  group: '',
  version: 'v1alpha1',
  kind: 'Secret',
  singular: 'secret',
  plural: 'secrets',
  schema: {
    properties: {
      data: {
        type: 'object',
        ...dataKeys,
        additionalProperties: { type: 'string' },
        description: 'Texts by name; only get returns them. An update without this field keeps them.',
      },
    },
  },
}

export interface SecretModelParts {
  readonly sealing: SecretSealing
  /** Whether the caller may get the secret of this name. */
  readonly mayGet: (caller: Caller, name: string) => Promise<boolean>
  readonly check?: CheckData
}

/** Secret texts, shown only by `get`. */
export function createSecretModel({ check = async () => [], ...parts }: SecretModelParts): Model {
  const { sealing } = parts
  return createBuiltInModel(definition, {
    rules: { sealing, prepare: (object, context) => prepare(parts, object, context), check },
  })
}

/**
 * Keeps stored data when an update omits it: a client that read the object from a list has not seen its data and does not mean
 * to remove it. Recognises values that are written again only for callers who may get them: others could guess a value by
 * seeing that it is no change.
 */
async function prepare(
  { sealing, mayGet }: SecretModelParts,
  object: JsonObject,
  { stored, uid, caller }: WriteContext,
): Promise<JsonObject> {
  if (!stored || uid === undefined) return withMap(object)
  if (object['data'] === undefined) return withMap({ ...object, data: stored['data'] })
  const isReader = !caller || (await mayGet(caller, object.metadata.name ?? ''))
  return isReader ? sealing.recognise(object, { stored, uid }) : object
}

function withMap(object: JsonObject): JsonObject {
  return object['data'] === undefined ? { ...object, data: {} } : object
}
