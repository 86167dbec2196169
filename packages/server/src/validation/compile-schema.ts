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

function program(schema: JsonSchema, options: Options): string {
  const ajv = new Ajv2020({
    ...schemaOptions,
    ...options,
    ownProperties: namesInherited(schema),
    code: { regExp: linearTimeRegExp, source: true, lines: false },
  })
  addFormats.default(ajv, [...knownFormats])
  ajv.addKeyword('example')
  ajv.addSchema({ ...schema, $id: 'full' })
  ajv.addSchema({ ...structureOf(schema), $id: 'structure' })
  return standaloneCode.default(ajv, { full: 'full', structure: 'structure' })
}
