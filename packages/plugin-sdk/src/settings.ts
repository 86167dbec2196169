import type { Infer, InferInput, Schema } from './schema/infer.ts'

/** Settings of any type. */
export interface AnySettings {
  readonly schema: Schema
}

/** Settings that an operator enters for a plugin. */
export interface Settings<Value, Input> extends AnySettings {
  /** Never set at run time; `value` and `input` carry the types. */
  readonly value?: Value
  readonly input?: Input
}

/**
 * Declares the settings of a plugin by the schema of an object. The console renders the form; `secret()` fields are stored
 * encrypted.
 */
export function defineSettings<const Of extends Schema>(schema: Of): Settings<Infer<Of>, InferInput<Of>> {
  return { schema }
}
