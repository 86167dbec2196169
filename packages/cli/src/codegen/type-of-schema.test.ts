import { describe, expect, test } from 'vitest'
import { typeOfSchema } from './type-of-schema.ts'

const nameOf = (component: string) => component.replaceAll('.', '')

test('a field with a default is required when read and optional when sent', () => {
  const schema = { properties: { a: { type: 'string', default: 'x' } }, required: ['a'] }
  expect(typeOfSchema(schema, { nameOf })).toBe('{ readonly a: string }')
  expect(typeOfSchema(schema, { nameOf, isSent: true })).toBe('{ readonly a?: string }')
})

describe('a schema is converted to the type', () => {
  const rows: readonly (readonly [schema: unknown, type: string])[] = [
    [{ type: 'string', maxLength: 3 }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['open', "it's", 1, true, null] }, "'open' | 'it\\'s' | 1 | true | null"],
    [{ enum: ['a'], 'x-display': { tones: { a: 'red' }, label: { en: '*/' } } }, "'a'"],
    [{ enum: [] }, 'never'],
    [{ const: 'a\n"b"' }, '\'a\\n"b"\''],
    [{ type: 'array', items: { type: 'string' } }, 'readonly string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
    [{ type: 'array' }, 'readonly unknown[]'],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'readonly (readonly number[])[]'],
    [{ type: 'object' }, 'Readonly<Record<string, unknown>>'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'Readonly<Record<string, string>>'],
    [{ type: 'object', additionalProperties: false }, '{}'],
    [
      { properties: { a: { type: 'string' }, 'b-c': { type: 'number' } }, required: ['a'] },
      "{ readonly a: string; readonly 'b-c'?: number }",
    ],
    [
      { type: 'object', properties: { a: { type: 'string', description: 'Ends */ here,\nthen goes on.' } } },
      '{ /** Ends * / here, then goes on. */ readonly a?: string }',
    ],
    [{ $ref: '#/components/schemas/Todo.Part' }, 'TodoPart'],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ allOf: [{ $ref: '#/x/A' }, { anyOf: [{ type: 'string' }, { type: 'null' }] }] }, 'A & (string | null)'],
    [{ type: 'object', properties: { a: {} }, allOf: [{ $ref: '#/x/A' }] }, '{ readonly a?: unknown } & A'],
    [{ minLength: 1 }, 'unknown'],
    [true, 'unknown'],
    [undefined, 'unknown'],
    [{ type: 'mystery' }, 'unknown'],
    [{ const: { a: 1 } }, 'unknown'],
  ]
  for (const [schema, type] of rows) {
    test(JSON.stringify(schema) ?? 'none', () => expect(typeOfSchema(schema, { nameOf })).toBe(type))
  }
})
