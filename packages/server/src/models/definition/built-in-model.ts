import { compileObjectSchema, type Thoroughness } from '../../validation/compile-schema.ts'
import { createValidate, type Validate } from '../../validation/schema-validator.ts'
import type { ModelDefinition } from './definition.ts'
import { createModel, type Model, type ModelParts } from '../model.ts'

/** A built-in model. Its schema is trusted, so it is not compiled in a separate thread. */
export function createBuiltInModel(definition: ModelDefinition, parts: Omit<ModelParts, 'validator'> = {}): Model {
  let validate: Promise<Validate> | undefined
  const compile = async (thoroughness: Thoroughness) => compileObjectSchema(definition.schema, thoroughness)
  const validator = () => (validate ??= createValidate(compile))
  return createModel(definition, { ...parts, validator })
}
