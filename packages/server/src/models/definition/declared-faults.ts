import type { FieldError, ModelDeclaration } from '@pergola/api'
import { compileSchema } from '../../validation/schema-validator.ts'
import { definitionErrors } from './definition-errors.ts'
import { modelSchema } from './model-schema.ts'

/** Everything for which a host would reject the model, as far as that is visible without its other models. */
export function declaredFaults(model: ModelDeclaration): readonly FieldError[] {
  const faults = compileSchema({ type: 'object', properties: modelSchema.properties })({ spec: model })
  return faults.length > 0 ? faults : definitionErrors(model, { byHost: true })
}
