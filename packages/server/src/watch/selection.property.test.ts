import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { modelSpec, sqliteReplica, testGroup, type Replica } from '../models/contract/replica.ts'
import { termsOf } from '../models/query/list-query.ts'
import type { Model } from '../models/model.ts'
import type { Change } from '../store/store.ts'
import { eventOf, selectionOf } from './selection.ts'
import { createWatcherIndex } from './watcher-index.ts'

/** `CASES=<factor>` multiplies the cases of every property test. */
const runs = 40 * Number(process.env['CASES'] ?? 1)

const fields = {
  city: { type: 'string' },
  age: { type: 'integer' },
  active: { type: 'boolean' },
  seen: { type: 'string', format: 'date-time' },
  tags: { type: 'array', items: { type: 'string' } },
}
const indexes = Object.keys(fields).map((name) => ({ name: `spec.${name}` }))

const cities = ['Rome', 'Oslo', 'Bern']
const spec = fc.record(
  {
    city: fc.constantFrom(...cities),
    age: fc.integer({ min: -2, max: 2 }),
    active: fc.boolean(),
    seen: fc.constantFrom('2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z'),
    tags: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
  },
  { requiredKeys: [] },
)
const labels = fc.dictionary(fc.constantFrom('example.com/a', 'example.com/b'), fc.constantFrom('1', '2', ''))
const step = fc.record({
  name: fc.constantFrom('n-1', 'n-2', 'n-3', 'n-4'),
  act: fc.constantFrom('put', 'put', 'put', 'delete', 'let go'),
  spec,
  labels,
  held: fc.boolean(),
})
const fieldTerm = fc.constantFrom(
  'metadata.name=n-1',
  'metadata.name=(n-1,n-2)',
  'metadata.deletionTimestamp',
  '!metadata.deletionTimestamp',
  'spec.city=Rome',
  'spec.city!=Rome',
  'spec.city=(Rome,Oslo)',
  'spec.city!=(Rome,Oslo)',
  'spec.city=^R',
  '!spec.city',
  'spec.age>0',
  'spec.age<=0',
  'spec.age=1',
  'spec.active=true',
  'spec.seen>=2026-03-01T00:00:00Z',
  'spec.tags=a',
  'spec.tags!=a',
  'spec.tags=(a,b)',
  '!spec.tags',
)
const labelTerm = fc.constantFrom(
  'example.com/a=1',
  'example.com/a!=1',
  'example.com/b',
  '!example.com/b',
  'example.com/a=(1,2)',
)
const alternative = fc
  .tuple(
    fc.constantFrom('spec.city=Rome', 'spec.city=(Rome,Oslo)', 'spec.age>0', 'spec.tags=a', 'metadata.name=n-1'),
    fc.array(fieldTerm, { maxLength: 2 }),
  )
  .map(([positive, others]) => [positive, ...others].join(','))
const selector = fc.record({
  anyOf: fc.array(alternative, { maxLength: 3 }),
  fieldSelector: fc.array(fieldTerm, { maxLength: 2 }),
  labelSelector: fc.array(labelTerm, { maxLength: 2 }),
})

let replica: Replica
let model: Model
beforeAll(async () => {
  replica = await sqliteReplica()
  await replica.declare(modelSpec(fields, { indexes }))
  model = await replica.registry.find({ group: testGroup, version: 'v1', plural: 'things' })
})
afterAll(() => replica[Symbol.asyncDispose]())

test(
  'the state of a watch equals the list of its selector, wherever it started',
  async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.array(selector, { minLength: 1, maxLength: 8 }),
      async (before, behind, selectors) => {
        await removeAll()
        for (const one of before) await take(one)
        const watches = []
        for (const { anyOf, fieldSelector, labelSelector } of selectors) {
          const query = new URLSearchParams([
            ...anyOf.map((text) => ['anyOf', text] as [string, string]),
            ...fieldSelector.map((text) => ['fieldSelector', text] as [string, string]),
            ...labelSelector.map((text) => ['labelSelector', text] as [string, string]),
          ])
          watches.push({ query, selection: selectionOf(model, termsOf(model, query)), names: await listed(query) })
        }
        const start = await replica.store.head()
        for (const one of behind) await take(one)
        const { changes } = await replica.store.readChanges(start, { limit: 1_000, waitMs: 0 })
        const index = createWatcherIndex<(typeof watches)[number]>()
        for (const watch of watches) index.add(watch.selection, watch)
        for (const change of changes) {
          for (const { selection, watchers } of index.near(change)) {
            const type = eventOf(selection, change)
            for (const { names } of watchers) keepUp(names, type, change)
          }
        }
        for (const { query, names } of watches) {
          expect([...names].toSorted(), String(query)).toEqual([...(await listed(query))].toSorted())
        }
        for (const watch of watches) index.remove(watch.selection, watch)
        for (const change of changes) expect(index.near(change)).toEqual([])
      },
    )
    await fc.assert(property, { numRuns: runs })
  },
  20_000 + 500 * runs,
)

function keepUp(names: Set<string>, type: string | undefined, { object }: Change): void {
  if (!type) return
  // An object is added only if it was not selected, and modified or deleted only if it was.
  expect(names.has(object.name)).toBe(type !== 'ADDED')
  if (type === 'DELETED') names.delete(object.name)
  else names.add(object.name)
}

async function listed(query: URLSearchParams): Promise<Set<string>> {
  const { body } = await replica.of('things').list(query.toString())
  return new Set(body.items.map(({ metadata }) => String(metadata['name'])))
}

async function take({ name, act, spec: wanted, labels: labelled, held }: StepOf): Promise<void> {
  const things = replica.of('things')
  if (act === 'delete') return void (await things.remove(name).catch(notThere))
  const finalizers = act === 'put' && held ? ['example.com/x'] : []
  const body = { metadata: { name, labels: labelled, finalizers }, spec: wanted }
  await things.create(body).catch(() => things.update(name, body))
}

type StepOf = typeof step extends fc.Arbitrary<infer One> ? One : never

function notThere(error: { readonly reason?: string }): void {
  expect(error.reason).toBe('NotFound')
}

async function removeAll(): Promise<void> {
  const things = replica.of('things')
  await things.removeAll('all=true')
  const { body } = await things.list()
  for (const { metadata } of body.items) {
    await things.patch(String(metadata['name']), { metadata: { finalizers: null } })
  }
}
