import type { Random } from '../random.ts'
import { anyJson, anyText } from '../schema-values.ts'
import { write, type Shot, type World } from '../shot.ts'

/** Models with random schemas, indexes and names. Accepted ones are deleted again. */
export function hostileDefinition(world: World): Shot | undefined {
  const { random } = world
  const path = world.models.find(({ kind }) => kind === 'Model')?.path
  if (path === undefined) return undefined
  const body = { metadata: { labels: { fuzz: world.own } }, spec: definition(world) }
  const isPlan = random.chance(0.5)
  return {
    kind: 'hostile',
    what: 'model',
    expected: 'any',
    line: write('POST', `${path}${isPlan ? '?dryRun=true' : ''}`, body),
    next: (made, { status }) => {
      const { metadata } = (made ?? {}) as { metadata?: { name?: string } }
      if (status !== 201 || isPlan || metadata?.name === undefined) return []
      const line = { method: 'DELETE', path: `${path}/${metadata.name}`, headers: {} }
      return [{ kind: 'valid', what: 'delete a model', expected: 'accepted', line }]
    },
  }
}

function definition(world: World): unknown {
  const { random } = world
  const plural = world.freshName().replaceAll('-', 'x')
  const odd = (value: unknown, chance = 0.05): unknown => (random.chance(chance) ? anyJson(random, 2) : value)
  const fields = Array.from({ length: random.whole(0, 4) }, () =>
    random.pick(['a', 'b', 'tags', 'constructor', 'a.b', 'ä']),
  )
  const index = () => ({
    name: odd(random.pick(['spec.a', 'spec.b', 'spec.tags', 'status.a', 'metadata.name', 'a', 'spec.a.b', ''])),
    ...(random.chance(0.3) && { path: odd(random.pick(['spec.a', 'spec.tags', 'spec', '', 'spec..a'])) }),
    ...(random.chance(0.3) && { unique: odd(true) }),
  })
  return {
    group: odd(random.pick(['odd.example.com', 'odd.example.com', 'x', 'platform.run', 'a..b'])),
    kind: odd(`K${plural}`),
    singular: odd(`${plural}s`),
    plural: odd(plural),
    ...(random.chance(0.3) && { statusSubresource: odd(true) }),
    versions: odd([
      {
        name: odd('v1'),
        schema: odd({
          properties: odd({
            spec: { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, schema(random, 3)])) },
            ...(random.chance(0.3) && { status: schema(random, 2) }),
          }),
          ...(random.chance(0.3) && {
            $defs: { [random.pick(['A', 'B', 'a b', 'a/b', 'constructor'])]: schema(random, 2) },
          }),
          ...(random.chance(0.2) && { required: odd(['spec'], 0.3) }),
        }),
      },
    ]),
    ...(random.chance(0.6) && { indexes: odd(Array.from({ length: random.whole(1, 4) }, index)) }),
    ...(random.chance(0.2) && { composites: odd([['spec.a', 'spec.b desc'], ['spec.a']]) }),
  }
}

/** A schema of random keywords that may contradict each other. */
function schema(random: Random, depth: number): unknown {
  if (random.chance(0.05)) return random.pick<unknown>([true, false, null, 5, 'x', []])
  const keywords = Array.from({ length: random.whole(0, 4) }, () =>
    random.pick(depth > 0 ? allKeywords : plainKeywords),
  )
  return Object.fromEntries([
    ...(random.chance(0.7) ? [['type', random.pick<unknown>(types)]] : []),
    ...keywords.map(([keyword, make]) => [keyword, random.chance(0.05) ? anyJson(random, 1) : make(random, depth - 1)]),
  ] as [string, unknown][])
}

type Keyword = readonly [string, (random: Random, depth: number) => unknown]

const types = [
  'string',
  'integer',
  'number',
  'boolean',
  'array',
  'object',
  'null',
  ['string', 'null'],
  ['string', 'integer'],
  'x',
  [],
]

const plainKeywords: readonly Keyword[] = [
  ['minimum', (random) => random.whole(-5, 5)],
  ['maxLength', (random) => random.pick([0, 5, -1, 1e9])],
  ['minItems', (random) => random.whole(0, 3)],
  ['multipleOf', (random) => random.pick([0, 1, 0.1, -1])],
  ['pattern', (random) => random.pick(['^a+$', '(a+)+$', '(?=a)', '[', '\\1', '\\p{L}', '(?<n>a)', '.{1000}.{1000}', '((((a{9}){9}){9}){9}){9}', ''])],
  ['format', (random) => random.pick(['date', 'date-time', 'uuid', 'regex', 'x', 'byte', 'password'])],
  ['enum', (random) => random.pick<unknown>([['a', 'b'], [1, null], [], [{ a: 1 }], ['a', 'a']])],
  ['const', (random) => anyJson(random, 2)],
  ['default', (random) => anyJson(random, 2)],
  ['required', (random) => random.pick<unknown>([['a'], ['a', 'a'], 'a', [], ['constructor']])],
  ['uniqueItems', () => true],
  ['maxItems', (random) => random.pick([0, 5, 1_000, 1_001])],
  ['$ref', (random) => random.pick(['#/$defs/A', '#/$defs/B', '#', '#/properties/spec', 'http://example.com/x', '#/$defs/constructor', '#/$defs/a~1b', ''])],
  ['$id', () => 'x'],
  ['$anchor', () => 'x'],
  ['$comment', (random) => anyText(random, 5)],
  ['title', (random) => anyText(random, 5)],
  ['description', () => '*/ process.exit() /*'],
  ['readOnly', () => true],
  ['nullable', () => true],
  ['discriminator', () => ({ propertyName: 'a' })],
  ['x-anything', (random) => anyJson(random, 1)],
  ['x-display', (random) => anyJson(random, 2)],
  ['constructor', () => 1],
  ['dependentRequired', () => ({ a: ['b'] })],
  ['contentEncoding', () => 'base64'],
] // prettier-ignore

const allKeywords: readonly Keyword[] = [
  ...plainKeywords,
  [
    'properties',
    (random, depth) => ({ [random.pick(['a', 'b', 'constructor', 'x"+y', '${a}'])]: schema(random, depth) }),
  ],
  ['items', schema],
  ['additionalProperties', (random, depth) => random.pick<unknown>([true, false, schema(random, depth)])],
  ['unevaluatedProperties', (random, depth) => random.pick<unknown>([true, false, schema(random, depth)])],
  ['patternProperties', (random, depth) => ({ [random.pick(['^a', '(', '(a+)+$'])]: schema(random, depth) })],
  ['propertyNames', schema],
  ['prefixItems', (random, depth) => [schema(random, depth)]],
  ['contains', schema],
  ['allOf', (random, depth) => [schema(random, depth), schema(random, depth)]],
  ['oneOf', (random, depth) => [schema(random, depth), schema(random, depth)]],
  ['anyOf', (random, depth) => [schema(random, depth)]],
  ['not', schema],
  ['if', schema],
  ['then', schema],
  ['dependentSchemas', (random, depth) => ({ a: schema(random, depth) })],
]
