import { describe, expect, test } from 'vitest'
import { knownFormats } from './formats.ts'
import type { JsonSchema } from './object-schema.ts'
import { schemaErrors } from './schema-errors.ts'

const of = (spec: unknown, $defs: object = {}): JsonSchema => ({ properties: { spec }, $defs })
const text = { type: 'string' }

function nested(depth: number): JsonSchema {
  return depth === 1 ? text : { items: nested(depth - 1) }
}

/** Each definition refers to the next one twice. */
function doubling(length: number): JsonSchema {
  const names = Array.from({ length }, (_, at) => `#/$defs/d${at + 1}`)
  const entries = names.map(($ref, at) => [`d${at}`, { allOf: [{ $ref }, { $ref }] }])
  return of({ $ref: '#/$defs/d0' }, { ...Object.fromEntries(entries), [`d${length}`]: text })
}

describe('accepts', () => {
  const cases: readonly (readonly [what: string, schema: JsonSchema])[] = [
    ['an empty schema', {}],
    ['32 levels', { items: nested(31) }],
    ['2,000 schemas', { allOf: Array.from({ length: 1_999 }, () => text) }],
    ['every known format', of({ allOf: knownFormats.map((format) => ({ format })) })],
    ['unique items, a thousand at most', of({ uniqueItems: true, maxItems: 1_000 })],
    ['items that need not be unique', of({ uniqueItems: false })],
    ['a reference to a definition', of({ $ref: '#/$defs/a~1b' }, { 'a/b': text })],
    [
      'a recursive definition',
      of({ $ref: '#/$defs/node' }, { node: { properties: { child: { $ref: '#/$defs/node' } } } }),
    ],
    ['a pattern', of({ pattern: '^(a+)+$', patternProperties: { '^x-': text } })],
    ['a field named like a keyword', of({ properties: { $id: text, $ref: text, pattern: text, format: text } })],
    ['a value named like a keyword', of({ enum: [{ $id: 'x', format: 'y' }], default: { $ref: 'z' } })],
    ['a definition that is used often', doubling(8)],
    ...(
      [
        [{ type: 'number' }, { unit: 'h', label: { en: 'Hours', 'pt-BR': 'Horas' }, placeholder: '8' }],
        [{ type: 'number' }, { unit: { before: '€' }, as: 'currency' }],
        [{ enum: ['a', 1] }, { tones: { a: 'grey', 1: 'amber' } }],
        [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, { tones: { b: 'pink' } }],
        [{ $ref: '#/$defs/state' }, { tones: { open: 'blue' } }],
        [text, {}],
      ] as const
    ).map(
      ([schema, display]) =>
        [
          `the display ${JSON.stringify(display)}`,
          of({ ...schema, 'x-display': display }, { state: { enum: ['open'] } }),
        ] as const,
    ),
  ]
  for (const [what, schema] of cases) {
    test(what, () => expect(schemaErrors(schema)).toEqual([]))
  }
})

describe('rejects', () => {
  const cases: readonly (readonly [what: string, schema: JsonSchema, pointer: string, message: string])[] = [
    ['more than 256 KiB', { description: 'x'.repeat(256 * 1024) }, '', 'bytes; at most 262144'],
    ['more than 32 levels', { items: nested(32) }, '/items'.repeat(32), 'has 33 levels; at most 32'],
    ['more than 2,000 schemas', { allOf: Array.from({ length: 2_000 }, () => text) }, '', 'has 2001 sub-schemas'],
    ...['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$schema', '$vocabulary'].map(
      (keyword) =>
        [keyword, of({ [keyword]: '#x' }), `/properties/spec/${keyword}`, 'may not be used in the schema'] as const,
    ),
    ['an external reference', of({ $ref: 'https://x.example/s' }), '/properties/spec/$ref', '#/$defs/<name>'],
    ['a dangling reference', of({ $ref: '#/$defs/gone' }), '/properties/spec/$ref', '#/$defs/<name>'],
    ['a reference to the root', of({ $ref: '#' }), '/properties/spec/$ref', '#/$defs/<name>'],
    [
      'a reference below a definition',
      of({ $ref: '#/$defs/a/x' }, { a: {} }),
      '/properties/spec/$ref',
      '#/$defs/<name>',
    ],
    [
      'a reference to a member of Object.prototype',
      of({ $ref: '#/$defs/toString' }),
      '/properties/spec/$ref',
      '<name>',
    ],
    ['an unknown format', of({ format: 'colour' }), '/properties/spec/format', 'is not known; known are date, time'],
    [
      'unique items without a bound',
      of({ uniqueItems: true }),
      '/properties/spec/uniqueItems',
      'maxItems of at most 1000',
    ],
    ['too many unique items', of({ uniqueItems: true, maxItems: 1_001 }), '/properties/spec/uniqueItems', 'maxItems'],
    ['a back-reference', of({ pattern: '(a)\\1' }), '/properties/spec/pattern', 'back-references and look-around'],
    ['look-around', of({ patternProperties: { '(?=a)': {} } }), '/properties/spec/patternProperties', 'linear time'],
    ['an invalid pattern', of({ pattern: '(' }), '/properties/spec/pattern', 'is not a pattern'],
    [
      'a definition that only refers to itself',
      of({ $ref: '#/$defs/a' }, { a: { $ref: '#/$defs/a' } }),
      '/properties/spec/$ref',
      'references itself',
    ],
    [
      'definitions that only refer to each other, also in alternatives',
      of(text, { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { anyOf: [text, { not: { $ref: '#/$defs/a' } }] } }),
      '/$defs/a/allOf/0/$ref',
      'references itself',
    ],
    ['a definition that is used too often', doubling(40), '/properties/spec/$ref', 'has 4398046511102 schemas'],
  ]
  for (const [what, schema, pointer, message] of cases) {
    test(what, () => {
      expect(schemaErrors(schema)).toContainEqual(
        expect.objectContaining({ pointer, message: expect.stringContaining(message) as string }),
      )
    })
  }

  for (const [what, place, pointer] of [
    ['items', { items: { $id: 'x' } }, '/items'],
    ['further items', { unevaluatedItems: { $id: 'x' } }, '/unevaluatedItems'],
    ['contains', { contains: { $id: 'x' } }, '/contains'],
    ['other fields', { additionalProperties: { $id: 'x' } }, '/additionalProperties'],
    ['names of fields', { propertyNames: { $id: 'x' } }, '/propertyNames'],
    ['a branch', { else: { $id: 'x' } }, '/else'],
    ['an alternative', { oneOf: [{}, { $id: 'x' }] }, '/oneOf/1'],
    ['an item by position', { prefixItems: [{ $id: 'x' }] }, '/prefixItems/0'],
    ['fields by pattern', { patternProperties: { 'a/b': { $id: 'x' } } }, '/patternProperties/a~1b'],
    ['dependent schemas', { dependentSchemas: { a: { $id: 'x' } } }, '/dependentSchemas/a'],
    ['a definition', { $defs: { a: { $id: 'x' } } }, '/$defs/a'],
  ] as const) {
    test(`a forbidden keyword in ${what}`, () => {
      expect(schemaErrors(place)).toMatchObject([{ pointer: `${pointer}/$id`, rule: 'schema' }])
    })
  }
})

describe('rejects a display with', () => {
  const choice = { enum: ['open', 'done'] }
  const cases: readonly (readonly [what: string, display: unknown, pointer: string, message: string])[] = [
    ['no object', 'h', '', 'must be an object'],
    ['an unknown key', { units: 'h' }, '/units', 'is not a known key; did you mean unit?'],
    ['a key of all objects', { constructor: 'h' }, '/constructor', 'known are unit, tones, as, label, placeholder'],
    ['an empty unit', { unit: '' }, '/unit', '1 to 20 characters'],
    ['a long unit', { unit: { after: 'x'.repeat(21) } }, '/unit/after', '1 to 20 characters'],
    ['a unit on two sides', { unit: { before: 'a', after: 'b' } }, '/unit', '{ "before": text }'],
    ['a unit on no side', { unit: { above: 'a' } }, '/unit', '{ "before": text }'],
    ['an unknown form', { as: 'markdwon' }, '/as', 'is not known; did you mean markdown?'],
    ['a tone of no value', { tones: { opne: 'red' } }, '/tones/opne', 'is not a value of the enum'],
    ['an unknown color', { tones: { open: 'rde' } }, '/tones/open', 'is not known; did you mean red?'],
    ['a form that is an object', { as: { toString: 1, valueOf: 1 } }, '/as', 'must be one of multiline'],
    ['tones that are no object', { tones: ['red'] }, '/tones', 'must be an object'],
    ['a label that is no object', { label: 'Hours' }, '/label', 'texts by language'],
    ['a label in no language', { label: { English: 'Hours' } }, '/label/English', 'is not a language'],
    ['a long label', { label: { en: 'x'.repeat(101) } }, '/label/en', '1 to 100 characters'],
    ['a placeholder that is no text', { placeholder: 7 }, '/placeholder', '1 to 100 characters'],
  ]
  for (const [what, display, pointer, message] of cases) {
    test(what, () => {
      const errors = schemaErrors(of({ ...choice, 'x-display': display }))
      expect(errors).toMatchObject([{ pointer: `/properties/spec/x-display${pointer}`, rule: 'display' }])
      expect(errors[0]?.message).toContain(message)
    })
  }

  test('tones without an enum', () => {
    const errors = schemaErrors(of({ ...text, 'x-display': { tones: { open: 'red' } } }))
    expect(errors).toMatchObject([
      { pointer: '/properties/spec/x-display/tones', message: 'needs an enum in the same schema' },
    ])
  })

  test('more than 20 labels', () => {
    const label = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`a${String.fromCodePoint(97 + at)}`, 'x']))
    expect(schemaErrors(of({ ...text, 'x-display': { label } }))).toHaveLength(1)
  })
})
