import { describe, expect, test } from 'vitest'
import { resolveIndexPath } from './index-path.ts'
import type { ObjectSchema } from './object-schema.ts'

const schema: ObjectSchema = {
  properties: {
    spec: {
      properties: {
        city: { type: 'string' },
        seen: { type: 'string', format: 'date-time' },
        born: { type: 'string', format: 'date' },
        age: { type: 'integer' },
        weight: { type: ['number', 'null'] },
        count: { type: ['integer', 'number'] },
        on: { type: 'boolean' },
        size: { enum: ['s', 'l', null] },
        only: { const: 7 },
        mixed: { type: ['string', 'number'] },
        mixedEnum: { enum: ['s', 1] },
        any: {},
        none: { type: 'null' },
        tags: { type: 'array', items: { type: 'string' } },
        times: { type: ['array', 'null'], items: { $ref: '#/$defs/time' } },
        lists: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
        missingInParams: { type: 'array' },
        home: { $ref: '#/$defs/home' },
        itself: { $ref: '#/$defs/itself' },
        rows: { type: 'array', items: { properties: { cells: { type: 'array', items: { type: 'string' } } } } },
        listed: { type: 'array', items: { $ref: '#/$defs/home' } },
      },
    },
    status: { properties: { phase: { $ref: '#/$defs/alias' } } },
  },
  $defs: {
    time: { type: 'string', format: 'date-time' },
    home: { type: 'object', properties: { street: { type: 'string' } } },
    alias: { $ref: '#/$defs/time' },
    itself: { $ref: '#/$defs/itself' },
  },
}

describe('an index path has the type', () => {
  const cases: readonly (readonly [path: string, type: string, multi?: boolean])[] = [
    ['spec.city', 'string'],
    ['spec.seen', 'timestamp'],
    ['spec.born', 'string'],
    ['spec.age', 'number'],
    ['spec.weight', 'number'],
    ['spec.count', 'number'],
    ['spec.on', 'boolean'],
    ['spec.size', 'string'],
    ['spec.only', 'number'],
    ['spec.tags', 'string', true],
    ['spec.times', 'timestamp', true],
    ['spec.home.street', 'string'],
    ['spec.listed[].street', 'string', true],
    ['spec.tags[]', 'string', true],
    ['status.phase', 'timestamp'],
  ]
  for (const [path, type, multi = false] of cases) {
    test(`${path}: ${multi ? 'a set of ' : ''}${type}`, () =>
      expect(resolveIndexPath(schema, path)).toEqual({ type, multi }))
  }
})

describe('an index path is rejected when it', () => {
  const cases: readonly (readonly [what: string, path: string, fault: string])[] = [
    ['does not begin with spec or status', 'metadata.name', 'must begin with spec or status'],
    ['is empty', '', 'must begin with spec or status'],
    ['names an unknown property', 'spec.nothing', 'is not in the schema: spec has no property "nothing"'],
    ['names a property of a string', 'spec.city.street', 'is not in the schema: spec.city has no property "street"'],
    [
      'names an inherited property of JavaScript objects',
      'spec.toString',
      'is not in the schema: spec has no property "toString"',
    ],
    ['names a property of the items of an array', 'spec.listed.street', 'spec.listed is an array of objects'],
    ['names an object', 'spec.home', 'must be a string, a number, a boolean, or an array of one of them'],
    ['names the whole spec', 'spec', 'must be a string, a number'],
    ['names a field of several types', 'spec.mixed', 'must be a string, a number'],
    ['names an enum with values of several types', 'spec.mixedEnum', 'must be a string, a number'],
    ['names a field without a type', 'spec.any', 'must be a string, a number'],
    ['names a field that can only be null', 'spec.none', 'must be a string, a number'],
    ['names an array of arrays', 'spec.lists', 'its items are not all strings'],
    ['names an array without an item type', 'spec.missingInParams', 'its items are not all strings'],
    ['names an array of objects', 'spec.listed', 'spec.listed is an array of objects'],
    ['names all of an item', 'spec.listed[]', 'must be a string, a number or a boolean of each item'],
    ['names items of a string', 'spec.city[]', 'spec.city is not an array; remove the []'],
    ['has two lists', 'spec.rows[].cells[]', 'spec.rows[].cells is below another array; a path has one []'],
    ['names a schema that refers to itself', 'spec.itself', 'must be a string, a number'],
  ]
  for (const [what, path, fault] of cases) {
    test(what, () => {
      expect(resolveIndexPath(schema, path)).toEqual({ fault: expect.stringContaining(fault) as string })
    })
  }

  test('is used with a schema without properties', () => {
    expect(resolveIndexPath({ properties: {} }, 'spec.a')).toEqual({
      fault: 'is not in the schema: the schema has no property "spec"',
    })
  })
})
