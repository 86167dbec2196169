import { createBuiltInModel } from '../built-in-model.ts'
import type { ModelDefinition } from '../definition/definition.ts'
import type { JsonObject } from '../object.ts'
import type { Model } from '../model.ts'
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

/** Secret texts, shown only by `get`. */
export function createSecretModel(sealing: SecretSealing, check: CheckData = async () => []): Model {
  return createBuiltInModel(definition, {
    rules: {
      sealing,
      prepare: (object, { stored, uid }) =>
        stored && uid ? prepare(sealing, object, { stored, uid }) : withMap(object),
      check,
    },
  })
}

/**
 * Keeps stored data when an update omits it: a client that read the object from a list has not seen its data and does not mean
 * to remove it.
 */
function prepare(
  sealing: SecretSealing,
  object: JsonObject,
  place: { readonly stored: JsonObject; readonly uid: string },
): JsonObject {
  if (object['data'] === undefined) return withMap({ ...object, data: place.stored['data'] })
  return sealing.recognise(object, place)
}

function withMap(object: JsonObject): JsonObject {
  return object['data'] === undefined ? { ...object, data: {} } : object
}
