import { ApiError, apiVersionOf, type ResourceRequest } from '@pergola/api'
import { compileSchema, type JsonSchema, type Validate } from '../validation/schema-validator.ts'

/** A kind of object, as it is declared. */
export interface ModelDefinition {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  /** Of the whole object but `apiVersion`, `kind` and `metadata`, which every model shares. */
  readonly schema: {
    readonly properties: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
  }
}

/** A definition at work. */
export interface Model extends ModelDefinition {
  readonly apiVersion: string
  readonly validate: Validate
}

/** Finds the model a request's path names. */
export interface ModelRegistry {
  find(request: ResourceRequest): Model
}

export function createModel(definition: ModelDefinition): Model {
  const { properties, required = [] } = definition.schema
  const validate = compileSchema({
    type: 'object',
    properties: { apiVersion: {}, kind: {}, metadata: {}, ...properties },
    required,
    additionalProperties: false,
  })
  return { ...definition, apiVersion: apiVersionOf(definition), validate }
}

export function createModelRegistry(models: readonly Model[]): ModelRegistry {
  const byPath = new Map(models.map((model) => [`${model.apiVersion}/${model.plural}`, model]))
  return {
    find: (request) => {
      const apiVersion = apiVersionOf(request)
      const model = byPath.get(`${apiVersion}/${request.resource}`)
      if (model) return model
      throw new ApiError('ModelNotFound', `there is no model "${request.resource}" in ${apiVersion}`)
    },
  }
}
