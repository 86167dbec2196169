import { isApiError, type FieldError, type FieldRuleParams } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { createStreamLimits, watches } from './query/stream-limits.ts'
import { definitionErrors } from './definition/definition-errors.ts'
import { objectNotFound, pathNotFound } from '../call/not-found.ts'
import { toData } from './object-bytes.ts'
import { missingInParams } from './missing-in-params.rows.ts'
import { refuseLossyJson } from '../validation/json-scanner.ts'
import { metadataErrors } from '../validation/metadata.ts'
import { compileSchema } from '../validation/schema-validator.ts'

type Faults = () => readonly FieldError[]

const bySchema =
  (schema: object, value: unknown): Faults =>
  () =>
    compileSchema({ type: 'object', properties: { a: schema } })({ a: value })
const inMetadata =
  (metadata: object): Faults =>
  () =>
    metadataErrors({ name: 'a', ...metadata })
const inJson =
  (text: string): Faults =>
  () =>
    problemOf(() => refuseLossyJson(text, 4)).errors ?? []
const inDefinition =
  (change: object): Faults =>
  () => {
    const schema = { properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } }
    const names = { group: 'a.example.com', kind: 'Thing', singular: 'thing', plural: 'things' }
    return definitionErrors({ ...names, versions: [{ name: 'v1', schema }], ...change })
  }

function problemOf(work: () => unknown) {
  try {
    work()
  } catch (error) {
    if (isApiError(error)) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** Reported only by requests to a server: see the conformance test of C8-426. */
type ByServer =
  | 'approval'
  | 'exists'
  | 'held'
  | 'immutable'
  | 'operation'
  | 'reference'
  | 'settings'
  | 'size'
  | 'taken'
  | 'uid'
  | 'unique'
  | 'version'

const rules: Readonly<Record<Exclude<keyof FieldRuleParams, ByServer>, readonly Faults[]>> = {
  const: [bySchema({ const: 7 }, 8)],
  contains: [bySchema({ type: 'array', contains: { const: 1 }, minContains: 2 }, [1])],
  dependentRequired: [
    bySchema({ type: 'object', dependentRequired: { x: ['y'] }, additionalProperties: true }, { x: 1 }),
  ],
  depth: [inJson('[[[[[[1]]]]]]')],
  enum: [bySchema({ enum: ['x', 3] }, 'z')],
  exclusiveMaximum: [bySchema({ type: 'number', exclusiveMaximum: 5 }, 5)],
  exclusiveMinimum: [bySchema({ type: 'number', exclusiveMinimum: 5 }, 5)],
  finalizer: [
    inMetadata({ finalizers: ['a b'] }),
    inMetadata({ finalizers: ['x'.repeat(300)] }),
    inMetadata({ finalizers: ['a/b', 'a/b'] }),
  ],
  format: [bySchema({ type: 'string', format: 'date' }, 'soon')],
  index: [
    inDefinition({ indexes: [{ name: 'metadata.name' }] }),
    inDefinition({ indexes: [{ name: 'spec.a' }, { name: 'spec.a' }] }),
    inDefinition({ indexes: [{ name: 'a b', path: 'spec.a' }] }),
    inDefinition({ indexes: [{ name: 'spec.b' }] }),
    inDefinition({ composites: [['spec.a']] }),
    inDefinition({ composites: [['spec.a', 'spec.b']] }),
  ],
  key: [
    inMetadata({ labels: { [`${'x'.repeat(254)}/a`]: '' } }),
    inMetadata({ labels: { 'X/a': '' } }),
    inMetadata({ labels: { ['x'.repeat(64)]: '' } }),
    inMetadata({ annotations: { '-a': '' } }),
    inJson('{"__proto__":1}'),
  ],
  labelValue: [
    inMetadata({ labels: { a: 'x'.repeat(254) } }),
    inMetadata({ labels: { a: '\u{1f600}'.repeat(200) } }),
    inMetadata({ labels: { a: ' b' } }),
    inMetadata({ labels: { a: 'b\u0007c' } }),
  ],
  limit: [
    inMetadata({ labels: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, ''])) }),
    inDefinition({ indexes: Array.from({ length: 33 }, (_, at) => ({ name: `i${at}`, path: 'spec.a' })) }),
  ],
  maxItems: [bySchema({ type: 'array', maxItems: 2 }, [1, 2, 3])],
  maxLength: [bySchema({ type: 'string', maxLength: 2 }, 'abc')],
  maxProperties: [bySchema({ type: 'object', maxProperties: 1, additionalProperties: true }, { x: 1, y: 2 })],
  maximum: [bySchema({ type: 'number', maximum: 5 }, 6)],
  minItems: [bySchema({ type: 'array', minItems: 2 }, [])],
  minLength: [bySchema({ type: 'string', minLength: 2 }, '')],
  minProperties: [bySchema({ type: 'object', minProperties: 3 }, {})],
  minimum: [bySchema({ type: 'number', minimum: 5 }, 4)],
  multipleOf: [bySchema({ type: 'number', multipleOf: 5 }, 4)],
  name: [
    inMetadata({ name: 'x'.repeat(254) }),
    inMetadata({ name: 'A' }),
    inDefinition({ group: 'x' }),
    inDefinition({ kind: 'a' }),
  ],
  number: [inJson('{"a":9007199254740993}'), inJson('{"a":0.12345678901234567891}')],
  propertyNames: [
    bySchema({ type: 'object', propertyNames: { maxLength: 2 }, additionalProperties: true }, { long: 1 }),
  ],
  type: [bySchema({ type: ['string', 'number'] }, true)],
  uniqueItems: [bySchema({ type: 'array', uniqueItems: true, maxItems: 5 }, [1, 2, 1])],
  versions: [inDefinition({ versions: [] })],
}

describe('params have every value of the message, for the rule', () => {
  const rows = Object.entries(rules).flatMap(([rule, all]) => all.map((faults, at) => [rule, at, faults] as const))
  test.each(rows)('%s (%i)', (rule, _, faults) => {
    const found = faults().filter((error) => error.rule === rule)
    expect(found, JSON.stringify(faults())).not.toEqual([])
    for (const { message, params } of found) {
      expect(params, message).toBeDefined()
      expect(missingInParams(message, params), message).toEqual([])
    }
  })
})

const ann = { kind: 'user', name: 'ann', uid: '', via: 'token' } as const

describe('params have every value of the detail, for', () => {
  const limits = createStreamLimits({ inAll: 3, perCaller: 2, ...watches })
  const rows: readonly (readonly [string, () => unknown])[] = [
    ['an object that does not exist', () => objectNotFound('todo', 'milk')],
    ['a path that does not exist', () => pathNotFound('/apis/x')],
    ['an object that is too large', () => problemOf(() => toData({ metadata: {}, a: 'x'.repeat(4_000_000) }))],
    [
      'too many watches',
      () =>
        problemOf(() => {
          for (let taken = 0; taken < 4; taken++) limits.take(ann)
        }),
    ],
  ]
  test.each(rows)('%s', (_, make) => {
    const error = make()
    expect(isApiError(error) && error.params).toBeTruthy()
    if (isApiError(error)) expect(missingInParams(error.message, error.params), error.message).toEqual([])
  })
})

test('a value that the params lack is found', () => {
  expect(missingInParams('has 7 of "milk"', { actual: 7, name: 'milk' })).toEqual([])
  expect(missingInParams('has 7 of "milk"', { name: 'milk' })).toEqual(['7'])
  expect(missingInParams('has 7 of "milk"', { actual: 71 })).toEqual(['7', 'milk'])
})
