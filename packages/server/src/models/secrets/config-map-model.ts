import type { FieldError } from '@pergola/api'
import { createBuiltInModel } from '../definition/built-in-model.ts'
import type { ModelDefinition } from '../definition/definition.ts'
import type { JsonObject } from '../object.ts'
import type { Model, WriteContext } from '../model.ts'

/** Allowed keys of `data`, and their maximum number. */
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
        description: 'Values by name; any JSON value is allowed.',
      },
    },
  },
}

/** Errors in the object's data that depend on its use. */
export type CheckData = (object: JsonObject, context: WriteContext) => Promise<readonly FieldError[]>

/** Configuration values that every reader of the object may see. */
export function createConfigMapModel(check: CheckData = async () => []): Model {
  return createBuiltInModel(definition, { rules: { check } })
}
