import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import addFormats from 'ajv-formats'
import { violationMessage } from './violation-message.ts'
import { knownFormats } from './formats.ts'
import { linearTimeRegExp } from './linear-regexp.ts'
import { closedSchema, structureOf, type JsonSchema, type ObjectSchema } from './object-schema.ts'
import { allSubSchemas } from './schema-errors.ts'

/** Whether a validator reports every error of an object or stops at the first. */
export type Thoroughness = 'every fault' | 'first fault'

/** Compiles a validator for objects of one model, as program text for `createValidate`. Throws errors in the schema. */
export function compileObjectSchema(schema: ObjectSchema, thoroughness: Thoroughness): string {
  return program(closedSchema(schema), { allErrors: thoroughness === 'every fault' })
}

const schemaOptions: Options = {
  strict: true,
  // A part of a composed schema need not repeat the type.
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowUnionTypes: true,
  useDefaults: true,
}

/**
 * A field may be called constructor or toString, which every object inherits. Only for such schemas own properties are checked:
 * that makes compiling 1,900 fields half as long again.
 */
function namesInherited(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema)
  return Object.getOwnPropertyNames(Object.prototype).some((name) => text.includes(JSON.stringify(name)))
}

/** Checks schemas against their draft. One instance for all, because compiling the draft takes 40 ms. */
const schemaChecker = createAjv({ allErrors: true, code: { regExp: linearTimeRegExp } })

/** An error in a schema, and its location. */
export interface SchemaError {
  /** A pointer into the schema. */
  readonly pointer: string
  readonly message: string
}

/** Errors that make a schema unusable, for its author. */
export function objectSchemaErrors(schema: ObjectSchema): readonly SchemaError[] {
  const whole: JsonSchema = { ...schema }
  if (schemaChecker.validateSchema(whole) !== true) {
    return firstOfEach((schemaChecker.errors ?? []).map(draftError))
  }
  try {
    compileObjectSchema(schema, 'every fault')
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return [{ pointer: '', message: message.replace(/^strict mode: /, '') }]
  }
  return defaultErrors(whole)
}

/** A value that matches none of several forms has an error for each form and one for all; keep one per location. */
function firstOfEach(errors: readonly SchemaError[]): readonly SchemaError[] {
  return [...new Map(errors.toReversed().map((error) => [error.pointer, error])).values()].toReversed()
}

function draftError({ instancePath, keyword, params, message }: ErrorObject): SchemaError {
  return { pointer: instancePath, message: violationMessage(keyword, params as Record<string, unknown>, message) }
}

/** Defaults are filled in without validation: an invalid one would be stored. */
function defaultErrors(schema: JsonSchema): readonly SchemaError[] {
  const places = allSubSchemas(schema).filter((place) => 'default' in place.schema)
  if (places.length === 0) return []
  const fields = places.map((place, at) => [String(at), place.schema] as const)
  const ajv = createAjv({
    allErrors: true,
    validateSchema: false,
    code: { regExp: linearTimeRegExp },
    useDefaults: false,
  })
  const validate = ajv.compile({ properties: Object.fromEntries(fields), $defs: schema['$defs'] ?? {} })
  if (validate(Object.fromEntries(places.map((place, at) => [String(at), place.schema['default']])))) return []
  const faults = (validate.errors ?? []).map((error) => {
    const [, at = '', inside = ''] = /^\/(\d+)(.*)$/.exec(error.instancePath) ?? []
    return { ...draftError(error), pointer: `${places[Number(at)]?.pointer}/default${inside}` }
  })
  return firstOfEach(faults)
}

function program(schema: JsonSchema, options: Options): string {
  const ajv = createAjv({
    ...options,
    validateSchema: false,
    ownProperties: namesInherited(schema),
    code: { regExp: linearTimeRegExp, source: true, lines: false },
  })
  for (const [id, stage] of Object.entries({ full: schema, structure: structureOf(schema) })) {
    const identified = { ...stage, $id: id }
    void schemaChecker.validateSchema(identified, true)
    ajv.addSchema(identified)
  }
  return standaloneCode.default(ajv, { full: 'full', structure: 'structure' })
}

export function createAjv(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ ...schemaOptions, ...options })
  addFormats.default(ajv, [...knownFormats])
  ajv.addKeyword('example')
  ajv.addKeyword('x-display')
  ajv.addKeyword('x-reference')
  return ajv
}
