import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import addFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import { knownFormats } from './formats.ts'
import { closedSchema, structureOf, type JsonSchema, type ObjectSchema } from './object-schema.ts'

/** Programs that check objects of one model, as text: to be made anywhere and run by `runProgram`. */
export interface SchemaPrograms {
  /** Names every fault. */
  readonly every: string
  /** Stops at the first fault. */
  readonly first: string
}

/** Backtracking made one 24-character value block the process for 2.3 s; this engine's time grows with the input only. */
export const linearTimeRegExp = Object.assign((pattern: string) => RE2JS.compile(pattern), {
  code: 'require("linear-time-regexp")',
})

/** Throws what is wrong with the schema. */
export function compileObjectSchema(schema: ObjectSchema): SchemaPrograms {
  const closed = closedSchema(schema)
  return { every: program(closed, { allErrors: true }), first: program(closed, { allErrors: false }) }
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

function program(schema: JsonSchema, options: Options): string {
  const ajv = new Ajv2020({
    ...schemaOptions,
    ...options,
    code: { regExp: linearTimeRegExp, source: true, lines: false },
  })
  addFormats.default(ajv, [...knownFormats])
  ajv.addKeyword('example')
  ajv.addSchema({ ...schema, $id: 'full' })
  ajv.addSchema({ ...structureOf(schema), $id: 'structure' })
  return standaloneCode.default(ajv, { full: 'full', structure: 'structure' })
}
