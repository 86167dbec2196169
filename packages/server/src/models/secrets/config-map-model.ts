import type { FieldError } from '@pergola/api'
import { createBuiltInModel } from '../built-in-model.ts'
import type { ModelDefinition } from '../definition/definition.ts'
import type { JsonObject } from '../object.ts'
import type { Model, WriteContext } from '../model.ts'

/** What the names in `data` look like, and how many there may be. */
export const dataKeys = {
  maxProperties: 1_000,
  propertyNames: { type: 'string', pattern: '^[-._A-Za-z0-9]{1,253}$' },
} as const

const definition: ModelDefinition = {
  group: '',
  version: 'v1alpha1',
  kind: 'ConfigMap',
  singular: 'configmap',
  plural: 'configmaps',
  schema: {
    properties: {
      data: {
        type: 'object',
        ...dataKeys,
        additionalProperties: true,
        default: {},
        description: 'Values by their names: texts, or anything that JSON has.',
      },
    },
  },
}

/** Faults of what the object holds, which depend on what it is for. */
export type CheckData = (object: JsonObject, context: WriteContext) => Promise<readonly FieldError[]>

/** Values that programs read, and that everybody who may read the object may know. */
export function createConfigMapModel(check: CheckData = async () => []): Model {
  return createBuiltInModel(definition, { rules: { check } })
}
