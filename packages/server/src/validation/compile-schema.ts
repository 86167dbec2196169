import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import addFormats from 'ajv-formats'
import { knownFormats } from './formats.ts'
import { linearTimeRegExp } from './linear-regexp.ts'
import { closedSchema, structureOf, type JsonSchema, type ObjectSchema } from './object-schema.ts'

/** Whether a program names every fault of an object or stops at the first. */
export type Thoroughness = 'every fault' | 'first fault'

/** A program that checks objects of one model, as text, to be run by `createValidate`. Throws what is wrong with the schema. */
export function compileObjectSchema(schema: ObjectSchema, thoroughness: Thoroughness): string {
  return program(closedSchema(schema), { allErrors: thoroughness === 'every fault' })
}

export const schemaOptions: Options = {
  strict: true,
  // A part of a composed schema need not repeat the type.
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowUnionTypes: true,
  useDefaults: true,
}

/**
 * A field may be called constructor or toString, which every object has. Only then it is asked whose a member is: that makes
 * compiling 1,900 fields half as long again.
 */
function namesInherited(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema)
  return Object.getOwnPropertyNames(Object.prototype).some((name) => text.includes(JSON.stringify(name)))
}

/** Checks schemas against the draft they are written in. One for all, because compiling the draft takes 40 ms. */
const schemaChecker = createAjv({ allErrors: true, code: { regExp: linearTimeRegExp } })

function program(schema: JsonSchema, options: Options): string {
  const ajv = createAjv({
    ...options,
    validateSchema: false,
    ownProperties: namesInherited(schema),
    code: { regExp: linearTimeRegExp, source: true, lines: false },
  })
  for (const [id, phase] of Object.entries({ full: schema, structure: structureOf(schema) })) {
    const identified = { ...phase, $id: id }
    void schemaChecker.validateSchema(identified, true)
    ajv.addSchema(identified)
  }
  return standaloneCode.default(ajv, { full: 'full', structure: 'structure' })
}

function createAjv(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ ...schemaOptions, ...options })
  addFormats.default(ajv, [...knownFormats])
  ajv.addKeyword('example')
  return ajv
}
