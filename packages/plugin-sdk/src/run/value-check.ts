import type { FieldError, JsonSchema } from '@pergola/api'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { fieldErrorOf } from './field-words.ts'

/** Fills in defaults, in place, and answers what is wrong. */
export type ValueCheck = (schema: JsonSchema, value: unknown, bytes: number) => readonly FieldError[]

const maxErrors = 100
/** A larger value gets its first fault only: a megabyte of wrong items would make half a million of them. */
const maxBytesForAllErrors = 64 * 1024

/**
 * Each schema is compiled when it is first needed. This module, too, is loaded only then: a validator takes 7 MB, and most
 * plugins idle most of the time.
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

/** As the host reads schemas of models: nothing in one is silently ignored. */
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
  return ajv
}
