import type { FieldError, JsonSchema } from '@pergola/api'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { fieldErrorOf } from './field-words.ts'

/** Fills in defaults in place and returns the violations. */
export type ValueCheck = (schema: JsonSchema, value: unknown, bytes: number) => readonly FieldError[]

const maxErrors = 100
/** Larger values report only their first error: a megabyte of invalid items would produce half a million. */
const maxBytesForAllErrors = 64 * 1024

/**
 * Compiles each schema on first use. This module is loaded lazily too: the validator takes 7 MB, and most plugins idle most of
 * the time.
 */
export function createValueCheck(): ValueCheck {
  const every = createCompiler(true)
  const first = createCompiler(false)
  return (schema, value, bytes) => {
    const validate = bytes > maxBytesForAllErrors ? first(schema) : every(schema)
    return validate(value) ? [] : (validate.errors ?? []).slice(0, maxErrors).map(fieldErrorOf)
  }
}

function createCompiler(allErrors: boolean): (schema: JsonSchema) => ValidateFunction {
  const compiled = new WeakMap<JsonSchema, ValidateFunction>()
  let ajv: Ajv2020 | undefined
  return (schema) => {
    ajv ??= createAjv(allErrors)
    const validate = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, validate)
    return validate
  }
}

/** Strict like the host's validation of models: no keyword is silently ignored. */
function createAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    useDefaults: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    ownProperties: true,
  })
  addFormats.default(ajv)
  ajv.addKeyword('example')
  ajv.addKeyword('x-display')
  ajv.addKeyword('x-reference')
  return ajv
}
