import fc from 'fast-check'
import { expect, test } from 'vitest'
import { modelSpec, sqliteReplica, testGroup, type Replica } from './contract/replica.ts'
import type { ModelSpec } from './definition/definition.ts'
import { modelObjectName } from './definition/model-object-name.ts'

/** `CASES=<factor>` multiplies the cases of every property test. */
const factor = Number(process.env['CASES'] ?? 1)
const runs = 10 * factor

const types: readonly object[] = [
  {},
  { type: 'string' },
  { type: 'string', maxLength: 1 },
  { type: 'string', format: 'date-time' },
  { type: 'integer' },
  { type: 'number', minimum: 5 },
  { type: 'boolean' },
  { type: 'array', items: { type: 'string' } },
  { type: 'array', items: { type: 'integer' }, maxItems: 1 },
  { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
  { type: 'object' },
  { enum: ['x', 'y'] },
  { type: 'string', default: 'filled' },
]
/** A random definition: fields, and which of them are required, indexed or unique. */
const field = fc.record({
  type: fc.constantFrom(...types),
  required: fc.boolean(),
  index: fc.constantFrom('none', 'none', 'plain', 'unique'),
})
const declaration = fc.record({
  fields: fc.dictionary(fc.constantFrom('a', 'b', 'c'), field),
  specRequired: fc.boolean(),
})
const value = fc.constantFrom<unknown>(
  'x',
  'y',
  'long',
  7,
  0.5,
  true,
  null,
  ['x', 'x'],
  [1, 2],
  [],
  { x: 'x' },
  { y: 1 },
  {
    a: { b: [] },
  },
)
const object = fc.option(fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { minKeys: 1 }), {
  nil: undefined,
  freq: 9,
})
const objects = fc.array(object, { minLength: 1, maxLength: 5 })
const step = fc.record({ declaration, objects })

test(
  'after any schema change, every stored object can get labels and a status, be released and deleted',
  async () => {
    await using replica = await sqliteReplica()
    let models = 0
    let stored = 0
    let changes = 0
    await fc.assert(
      fc.asyncProperty(objects, fc.array(step, { minLength: 1, maxLength: 3 }), async (first, steps) => {
        const things = createThings(replica, `things${++models}`)
        await things.declareOpen()
        for (const spec of first) await things.store(spec)
        for (const one of steps) {
          if (!(await things.declare(one.declaration))) continue
          changes++
          for (const spec of one.objects) await things.store(spec)
          await things.touchAll(changes)
        }
        stored += things.names.length
        await things.deleteAll()
      }),
      { numRuns: runs },
    )
    // Otherwise the random cases tested too little.
    expect(stored).toBeGreaterThan(runs / 2)
    expect(changes).toBeGreaterThan(runs / 2)
  },
  300_000 * factor,
)

type Declared = typeof declaration extends fc.Arbitrary<infer T> ? T : never

/** The objects of one model, and the operations that must always succeed. */
function createThings(replica: Replica, plural: string) {
  const names: string[] = []
  const verbs = replica.of(plural)
  const words = { plural, singular: `one${plural}`, kind: `K${plural}` }
  return {
    names,
    /** Anything can be stored. */
    declareOpen: () => {
      const schema = { properties: { spec: {}, status: {} } }
      return replica.declare(modelSpec({}, { ...words, versions: [{ name: 'v1', schema }] }))
    },
    /** Some random definitions are invalid, for example an index on an object. */
    declare: async (declared: Declared) => {
      const refused = await replica.declare({ ...specOf(declared), ...words }).then(() => undefined, reasonOf)
      expect([undefined, 'Invalid']).toContain(refused)
      return refused === undefined
    },
    store: async (spec: unknown) => {
      const name = `object-${names.length}`
      const metadata = { name, finalizers: [`${testGroup}/hold`] }
      const body = spec === undefined ? { metadata } : { metadata, spec }
      const refused = await verbs.create(body).then(() => undefined, reasonOf)
      expect([undefined, 'Invalid', 'DuplicateIndexValue']).toContain(refused)
      if (refused === undefined) names.push(name)
    },
    touchAll: (touched: number) => touchAll(verbs, names, touched),
    deleteAll: async () => {
      await deleteAll(verbs, names)
      await replica.models.remove(modelObjectName({ group: testGroup, plural }))
    },
  }
}

function reasonOf(error: unknown): string {
  return (error as { reason?: string }).reason ?? String(error)
}

function specOf({ fields, specRequired }: Declared): ModelSpec {
  const entries = Object.entries(fields)
  const indexes = entries.flatMap(([name, { index }]) =>
    index === 'none' ? [] : [{ name: `spec.${name}`, unique: index === 'unique' }],
  )
  const required = entries.flatMap(([name, one]) => (one.required ? [name] : []))
  const properties = Object.fromEntries(entries.map(([name, { type }]) => [name, type]))
  const status = { type: 'object', properties: { touched: { type: 'integer' } } }
  const schema = { properties: { spec: { type: 'object', properties, required }, status } }
  return modelSpec({}, { specRequired, indexes, versions: [{ name: 'v1', schema }] })
}

type Verbs = ReturnType<Replica['of']>

/** Sets labels and a status on each object. */
async function touchAll(verbs: Verbs, names: readonly string[], touched: number): Promise<void> {
  for (const name of names) {
    const { spec } = (await verbs.get(name)).body
    await verbs.patch(name, { metadata: { labels: { touched: String(touched) } } })
    await verbs.update(name, { status: { touched } }, { part: 'status' })
    const { body } = await verbs.get(name)
    const metadata = { labels: { touched: String(touched) }, generation: 1 }
    expect(body).toMatchObject({ metadata, status: { touched } })
    expect(body.spec).toEqual(spec)
  }
  expect((await verbs.list(`labelSelector=touched=${touched}`)).body.items).toHaveLength(names.length)
}

async function deleteAll(verbs: Verbs, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await verbs.remove(name)
    await verbs.patch(name, { metadata: { finalizers: null } })
    await expect(verbs.get(name)).rejects.toMatchObject({ reason: 'NotFound' })
  }
}
