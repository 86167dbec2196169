import type { FieldError } from '@pergola/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileObjectSchema } from './compile-schema.ts'
import { createValidate } from './schema-validator.ts'

/** `CASES=<factor>` multiplies the cases of every property test. */
const runs = 100 * Number(process.env['CASES'] ?? 1)
const valuesPerSchema = 8

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
}

const fields = ['a', 'b', 'c/d', 'toString']
const maybe = <T extends object>(constraint: fc.Arbitrary<T>): fc.Arbitrary<Partial<T>> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: constraint })
const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc.constant({}),
  maybe(fc.record({ minimum: fc.integer({ min: -2, max: 3 }) })).map((bound) => ({ type: 'integer', ...bound })),
  maybe(fc.record({ minimum: fc.constantFrom(0, 0.5) })).map((bound) => ({ type: 'number', ...bound })),
  maybe(fc.record({ maxLength: fc.constantFrom(0, 1) })).map((bound) => ({ type: 'string', ...bound })),
  fc.constantFrom({ type: 'boolean' }, { type: 'null' }),
  fc.constantFrom({ enum: ['x', 1] }, { type: 'string', enum: ['x', ''] }),
)
const { schema } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  object: fc
    .record(
      {
        properties: fc.dictionary(fc.constantFrom(...fields), tie('schema'), { maxKeys: 3, noNullPrototype: true }),
        required: fc.uniqueArray(fc.constantFrom(...fields), { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        minProperties: fc.constantFrom(1, 2),
      },
      { requiredKeys: [] },
    )
    .map((rest) => ({ type: 'object', ...rest })),
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc
      .tuple(tie('schema'), maybe(fc.record({ maxItems: fc.constantFrom(0, 1) })))
      .map(([items, bound]) => ({ type: 'array', items, ...bound })),
    tie('object'),
    tie('object'),
  ),
}))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('x', '', 'xx', 0, 1, -1, 0.5, true, null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...fields, 'z'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    fc.dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

/** A value that is often valid for the schema. */
function fitting(wanted: Schema): fc.Arbitrary<unknown> {
  const any: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    integer: fc.constantFrom(-1, 0, 1, 3),
    number: fc.constantFrom(0, 0.5, 1),
    string: fc.constantFrom('', 'x', 'xx'),
    boolean: fc.boolean(),
    null: fc.constant(null),
  }
  const { type, properties = {}, items = {} } = wanted
  if (type === 'array') return wild(fc.array(fitting(items), { maxLength: 2 }))
  if (type !== 'object') return wild(any[type ?? ''] ?? value)
  const known = Object.fromEntries(Object.entries(properties).map(([field, one]) => [field, fitting(one)]))
  return wild(fc.record(known, { requiredKeys: [], noNullPrototype: true }))
}

function wild(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: value })
}

interface Outcome {
  readonly structure: readonly string[]
  readonly constraints: readonly string[]
}

test('any schema accepts and rejects any value like a naive two-stage validation', async () => {
  const seen = new Map<string, number>()
  const cases = schema.chain((spec) =>
    fc.tuple(fc.constant(spec), fc.array(fitting(spec), { minLength: valuesPerSchema, maxLength: valuesPerSchema })),
  )
  await fc.assert(
    fc.asyncProperty(cases, async ([spec, values]) => {
      const object = { properties: { spec: { ...spec } } }
      const validate = await createValidate(async (thoroughness) => compileObjectSchema(object, thoroughness))
      for (const sent of values) {
        const expected = naive(spec, sent)
        const errors = await validate({ spec: structuredClone(sent) })
        const first = errors.findIndex(({ rule }) => !structuralRules.has(rule))
        const structural = first === -1 ? errors.length : first
        expect(pointersOf(errors.slice(0, structural))).toEqual(expected.structure)
        expect(pointersOf(errors.slice(structural))).toEqual(expected.constraints)
        const found = Object.entries(expected).filter(([, pointers]) => pointers.length > 0)
        const outcome = found.map(([stage]) => stage).join(' and ')
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
      }
    }),
    { numRuns: runs },
  )
  expect([...seen.keys()].toSorted()).toEqual(['', 'constraints', 'structure', 'structure and constraints'])
  expect(Math.min(...seen.values())).toBeGreaterThan(runs / 100)
})

const structuralRules = new Set(['type', 'required', 'unknown'])

function naive(spec: Schema, sent: unknown): Outcome {
  const unique = (pointers: readonly string[]) => [...new Set(pointers)].toSorted()
  return {
    structure: unique(structuralFaults(spec, sent, '/spec')),
    constraints: unique(constraintFaults(spec, sent, '/spec')),
  }
}

function pointersOf(errors: readonly FieldError[]): readonly string[] {
  return [...new Set(errors.map(({ pointer = '' }) => pointer))].toSorted()
}

const isType: Readonly<Record<string, (sent: unknown) => boolean>> = {
  integer: (sent) => Number.isInteger(sent),
  number: (sent) => typeof sent === 'number',
  string: (sent) => typeof sent === 'string',
  boolean: (sent) => typeof sent === 'boolean',
  null: (sent) => sent === null,
  array: (sent) => Array.isArray(sent),
  object: (sent) => typeof sent === 'object' && sent !== null && !Array.isArray(sent),
}

const escaped = (field: string) => field.replace('/', '~1')

function structuralFaults(wanted: Schema, sent: unknown, at: string): readonly string[] {
  const { type, required = [] } = wanted
  if (type !== undefined && isType[type]?.(sent) !== true) return [at]
  if (type !== 'object') return below(wanted, sent, at).flatMap((one) => structuralFaults(one.schema, one.sent, one.at))
  const missing = required.filter((field) => !Object.hasOwn(sent as object, field))
  const unknown = Object.keys(sent as object).filter((field) => schemaOf(wanted, field) === undefined)
  return [
    ...[...missing, ...unknown].map((field) => `${at}/${escaped(field)}`),
    ...below(wanted, sent, at).flatMap((one) => structuralFaults(one.schema, one.sent, one.at)),
  ]
}

function constraintFaults(wanted: Schema, sent: unknown, at: string): readonly string[] {
  const { type, minimum, maxLength, maxItems, minProperties } = wanted
  if (type !== undefined && isType[type]?.(sent) !== true) return []
  const broken = [
    wanted.enum?.includes(sent) === false,
    minimum !== undefined && Number(sent) < minimum,
    maxLength !== undefined && String(sent).length > maxLength,
    maxItems !== undefined && (sent as unknown[]).length > maxItems,
    minProperties !== undefined && Object.keys(sent as object).length < minProperties,
  ].some(Boolean)
  return [
    ...(broken ? [at] : []),
    ...below(wanted, sent, at).flatMap((one) => constraintFaults(one.schema, one.sent, one.at)),
  ]
}

/** The schema of a field; undefined if the field is not allowed. */
function schemaOf({ properties, additionalProperties }: Schema, field: string): Schema | undefined {
  if (properties && Object.hasOwn(properties, field)) return properties[field]
  if (typeof additionalProperties === 'object') return additionalProperties
  const isOpen = additionalProperties ?? properties === undefined
  return isOpen ? {} : undefined
}

function below(wanted: Schema, sent: unknown, at: string) {
  const { type, items = {} } = wanted
  if (type === 'array')
    return (sent as unknown[]).map((one, which) => ({ schema: items, sent: one, at: `${at}/${which}` }))
  if (type !== 'object') return []
  return Object.entries(sent as object).flatMap(([field, one]: [string, unknown]) => {
    const found = schemaOf(wanted, field)
    return found ? [{ schema: found, sent: one, at: `${at}/${escaped(field)}` }] : []
  })
}
