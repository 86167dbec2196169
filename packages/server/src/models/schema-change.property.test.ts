import fc from 'fast-check'
import { expect, test } from 'vitest'
import { modelSpec, sqliteReplica, testGroup, type Replica } from './contract/replica.ts'
import type { ModelSpec } from './definition/definition.ts'
import { modelObjectName } from './definition/model-object-name.ts'

/** `CASES=<factor>` multiplies the cases of every property test. */
const runs = 20 * Number(process.env['CASES'] ?? 1)

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
/** What the model of a case can be declared as: fields, which are required, which are indexed and uniquely so. */
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

test('whatever becomes of a schema, every stored object can be labelled, given a status, let go and deleted', async () => {
  await using replica = await sqliteReplica()
  let models = 0
  let stored = 0
  let changes = 0
  await fc.assert(
    fc.asyncProperty(objects, fc.array(step, { minLength: 1, maxLength: 3 }), async (first, steps) => {
      const things = new Things(replica, `things${++models}`)
      await things.declareOpen()
      for (const spec of first) await things.store(spec)
      for (const one of steps) {
        if (!(await things.declare(one.declaration))) continue
        changes++
        for (const spec of one.objects) await things.store(spec)
        await things.touchAll()
      }
      stored += things.names.length
      await things.deleteAll()
    }),
    { numRuns: runs },
  )
  expect(stored).toBeGreaterThan(runs)
  expect(changes).toBeGreaterThan(runs)
})

type Declared = typeof declaration extends fc.Arbitrary<infer T> ? T : never

class Things {
  readonly names: string[] = []
  readonly #replica: Replica
  readonly #verbs: ReturnType<Replica['of']>
  readonly #plural: string
  #touched = 0

  constructor(replica: Replica, plural: string) {
    this.#replica = replica
    this.#plural = plural
    this.#verbs = replica.of(plural)
  }

  /** Anything can be stored. */
  async declareOpen(): Promise<void> {
    const schema = { properties: { spec: {}, status: {} } }
    await this.#replica.declare(modelSpec({}, { ...this.#words(), versions: [{ name: 'v1', schema }] }))
  }

  #words() {
    return { plural: this.#plural, singular: `one${this.#plural}`, kind: `K${this.#plural}` }
  }

  /** Some random declarations are none: an index on what cannot be put in order, say. */
  async declare({ fields, specRequired }: Declared): Promise<boolean> {
    const indexes = Object.entries(fields).flatMap(([name, { index }]) =>
      index === 'none' ? [] : [{ name: `spec.${name}`, unique: index === 'unique' }],
    )
    const required = Object.keys(fields).filter((name) => fields[name]?.required)
    const properties = Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]))
    const schema = {
      properties: {
        spec: { type: 'object', properties, required },
        status: { type: 'object', properties: { touched: { type: 'integer' } } },
      },
    }
    const spec: ModelSpec = modelSpec(
      {},
      { ...this.#words(), specRequired, indexes, versions: [{ name: 'v1', schema }] },
    )
    const declared = await this.#replica.declare(spec).catch((error: unknown) => {
      expect(error).toMatchObject({ reason: 'Invalid' })
    })
    return declared !== undefined
  }

  async store(spec: unknown): Promise<void> {
    const name = `object-${this.names.length}`
    const metadata = { name, finalizers: [`${testGroup}/hold`] }
    const body = spec === undefined ? { metadata } : { metadata, spec }
    const answer = await this.#verbs.create(body).catch((error: unknown) => {
      expect(['Invalid', 'DuplicateIndexValue']).toContain((error as { reason: string }).reason)
    })
    if (answer) this.names.push(name)
  }

  /** Labels and a status, on each object that there is. */
  async touchAll(): Promise<void> {
    const touched = ++this.#touched
    for (const name of this.names) {
      const before = (await this.#verbs.get(name)).body
      await this.#verbs.patch(name, { metadata: { labels: { touched: String(touched) } } })
      await this.#verbs.update(name, { status: { touched } }, { part: 'status' })
      const { body } = await this.#verbs.get(name)
      expect(body).toMatchObject({
        metadata: { labels: { touched: String(touched) }, generation: 1 },
        status: { touched },
      })
      expect(body.spec).toEqual(before.spec)
    }
    const { items } = (await this.#verbs.list(`labelSelector=touched=${touched}`)).body
    expect(items).toHaveLength(this.names.length)
  }

  async deleteAll(): Promise<void> {
    for (const name of this.names) {
      await this.#verbs.remove(name)
      await this.#verbs.patch(name, { metadata: { finalizers: null } })
      await expect(this.#verbs.get(name)).rejects.toMatchObject({ reason: 'NotFound' })
    }
    const name = modelObjectName({ group: testGroup, plural: this.#plural })
    if (await this.#replica.store.get(this.#replica.definitions, name)) await this.#replica.models.remove(name)
  }
}
