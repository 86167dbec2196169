import type { Infer, InferInput, Schema } from './schema/infer.ts'

/** Settings, whatever they hold. */
export interface AnySettings {
  readonly schema: Schema
}

/** What an operator fills in for a plugin. */
export interface Settings<Value, Input> extends AnySettings {
  /** Never there; they carry the types. */
  readonly value?: Value
  readonly input?: Input
}

/** The schema of an object; the console draws the form. `secret()` fields are sealed. */
export function defineSettings<const Of extends Schema>(schema: Of): Settings<Infer<Of>, InferInput<Of>> {
  return { schema }
}
