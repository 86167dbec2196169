import { describe, expectTypeOf, test } from 'vitest'
import { defineModel } from '../model/model.ts'
import type { Infer, InferInput } from './infer.ts'
import { t, withDefault } from './t.ts'

const byTypeBox = t.Object({
  title: t.String(),
  state: withDefault(t.Enum(['open', 'done']), 'open'),
  count: t.Optional(t.Integer()),
  place: t.Object({ city: t.String(), at: t.Optional(t.Tuple([t.Number(), t.Number()])) }),
  tags: t.Array(t.String()),
  one: t.Union([t.Literal('a'), t.Null()]),
  words: t.Record(t.String(), t.Integer()),
  any: t.Unknown(),
})

const byJsonSchema = {
  type: 'object',
  required: ['title', 'state', 'place', 'tags', 'one', 'words', 'any'],
  properties: {
    title: { type: 'string' },
    state: { enum: ['open', 'done'], default: 'open' },
    count: { type: 'integer' },
    place: {
      type: 'object',
      required: ['city'],
      properties: {
        city: { type: 'string' },
        at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] },
      },
    },
    tags: { type: 'array', items: { type: 'string' } },
    one: { anyOf: [{ const: 'a' }, { type: 'null' }] },
    words: { type: 'object', additionalProperties: { type: 'integer' } },
    any: {},
  },
} as const

interface Read {
  readonly title: string
  readonly state: 'open' | 'done'
  readonly count?: number
  readonly place: { readonly city: string; readonly at?: readonly [number, number] }
  readonly tags: readonly string[]
  readonly one: 'a' | null
  readonly words: { readonly [name: string]: number }
  readonly any: unknown
}

interface Written extends Omit<Read, 'state'> {
  readonly state?: 'open' | 'done'
}

/** The compiler checks these types: `npm run build`. */
describe('a schema has the same type in TypeBox and in JSON Schema', () => {
  test('for reading', () => {
    expectTypeOf<Infer<typeof byTypeBox>>().toEqualTypeOf<Read>()
    expectTypeOf<Infer<typeof byJsonSchema>>().toEqualTypeOf<Read>()
  })

  test('for writing', () => {
    expectTypeOf<InferInput<typeof byTypeBox>>().toEqualTypeOf<Written>()
    expectTypeOf<InferInput<typeof byJsonSchema>>().toEqualTypeOf<Written>()
  })

  test('in defineModel, without `as const`', () => {
    const Note = defineModel({
      apiVersion: 'note.example.com/v1',
      kind: 'Note',
      plural: 'notes',
      spec: {
        type: 'object',
        required: ['text'],
        properties: { text: { type: 'string' }, stars: { type: ['integer', 'null'] } },
      },
      indexes: ['spec.text', { name: 'size', single: ({ spec }) => String(spec.text.length) }],
    })
    type NoteTypes = NonNullable<(typeof Note)['types']>
    expectTypeOf<NoteTypes['object']['spec']>().toEqualTypeOf<{
      readonly text: string
      readonly stars?: number | null
    }>()
    expectTypeOf<NoteTypes['fields']['spec.text']>().toEqualTypeOf<string>()
    expectTypeOf<keyof NoteTypes['fields']>().toEqualTypeOf<'spec.text' | 'size'>()
    expectTypeOf<NoteTypes['status']>().toEqualTypeOf<never>()
  })

  test('with allOf, oneOf, `~unsafe` and untyped arrays and objects', () => {
    expectTypeOf<Infer<{ allOf: [{ type: 'object'; properties: { a: { type: 'string' } } }, object] }>>().toExtend<{
      readonly a?: string
    }>()
    expectTypeOf<Infer<{ '~unsafe': Date; type: 'string' }>>().toEqualTypeOf<Date>()
    expectTypeOf<Infer<{ type: 'array' }>>().toEqualTypeOf<readonly unknown[]>()
    expectTypeOf<Infer<{ type: 'object' }>>().toEqualTypeOf<{ readonly [name: string]: unknown }>()
    expectTypeOf<Infer<{ oneOf: [{ type: 'string' }, { type: 'boolean' }] }>>().toEqualTypeOf<string | boolean>()
  })
})
