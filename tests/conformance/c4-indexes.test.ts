import { describe, expect, test } from 'vitest'
import { thing } from './collection.ts'
import { freshModel, modelObject, modelsPath, plainIndexes, thingModel, versionsOf, type ModelSpec } from './models.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

async function register(api: Api, parts: Partial<ModelSpec>): Promise<Answer> {
  return api.request('POST', modelsPath, { body: modelObject(freshModel({ composites: [], ...parts })) })
}

const text = { type: 'string' }
const texts = { type: 'array', items: text }

/** A model with this many indexes, each on its own field. */
function many(count: number, field: object): Partial<ModelSpec> {
  const names = Array.from({ length: count }, (_, at) => `f${at}`)
  const fields = Object.fromEntries(names.map((name) => [name, { ...field }]))
  return { versions: versionsOf(fields), indexes: plainIndexes(...names.map((name) => `spec.${name}`)) }
}

type Row = readonly [numbers: string, what: string, parts: Partial<ModelSpec>]

const taken: readonly Row[] = [
  ['S2.7-2', 'the order ASC', { indexes: [{ name: 'spec.city', order: 'ASC' }] }],
  ['S2.7-2', 'the order DESC', { indexes: [{ name: 'spec.city', order: 'DESC' }] }],
  ['C4-31', '32 indexes', many(32, text)],
  ['C4-32', '8 multi-value indexes', many(8, texts)],
]

const refused: readonly Row[] = [
  ['S2.7-1', 'a duplicate name', { indexes: [{ name: 'spec.city' }, { name: 'spec.city', order: 'DESC' }] }],
  ['S2.7-2', 'another order', { indexes: [{ name: 'spec.city', order: 'UP' }] }],
  ['C4-31', '33 indexes', many(33, text)],
  ['C4-32', '9 multi-value indexes', many(9, texts)],
  ...['name', 'labels', 'creationTimestamp', 'deletionTimestamp'].map((field): Row => [
    'S2.7-10',
    `metadata.${field} again`,
    { indexes: plainIndexes(`metadata.${field}`) },
  ]),
  ['S2.7-10', 'the name of a default index', { indexes: [{ name: 'metadata.name', path: 'spec.city' }] }],
]

onEachEngine((api) => {
  describe('indexes are accepted with', () => {
    for (const [numbers, what, parts] of taken) {
      test(`${numbers} ${what}`, async () => {
        expectStatus(await register(api, parts), 201)
      })
    }
  })

  describe('indexes are rejected with', () => {
    for (const [numbers, what, parts] of refused) {
      test(`${numbers} ${what}`, async () => {
        expectProblem(await register(api, parts), 422, 'Invalid')
      })
    }
  })

  test('C4-29 a composite index does not change the result of a filter with a sort', async () => {
    const models = [await api.model(), await api.model({ composites: [] })]
    const answers = models.map(async (model) => {
      for (const [at, age] of [9, 100, undefined, 10].entries()) {
        await model.created({ name: `x${at}`, spec: { ...(age !== undefined && { age }) } })
        await model.created({ spec: { city: 'Oslo', age: 50 } })
      }
      return model.names({ fieldSelector: 'spec.city=Rome', sort: 'spec.age,desc' })
    })
    expect(await Promise.all(answers)).toEqual([
      ['x1', 'x3', 'x0', 'x2'],
      ['x1', 'x3', 'x0', 'x2'],
    ])
  })

  test('C4-30 a composite index adds no selectable field', async () => {
    const answers = [await api.model(), await api.model({ composites: [] })].map(async (model) => {
      const { body } = await model.send('GET', { fieldSelector: 'spec.note=x' })
      return (body as { readonly detail: string }).detail.replaceAll(/samples?\d+/gi, 'samples')
    })
    const [withOne, without] = await Promise.all(answers)
    expect(without).toContain('spec.city')
    expect(withOne).toBe(without)
  })

  const lengths = [
    [{ city: 'x'.repeat(512) }, true],
    [{ city: 'x'.repeat(513) }, false],
    [{ city: 'é'.repeat(256) }, true],
    [{ city: 'é'.repeat(257) }, false],
    [{ tags: ['a', 'x'.repeat(512)] }, true],
    [{ tags: ['a', 'x'.repeat(513)] }, false],
    [{ note: 'x'.repeat(513) }, true],
  ] as const
  for (const [spec, isTaken] of lengths) {
    const [[field, value = ''] = ['']] = Object.entries(spec)
    const bytes = Buffer.byteLength([value].flat().at(-1) ?? '')
    test(`C4-34 ${bytes} bytes in ${field} are ${isTaken ? 'accepted' : 'rejected'}`, async () => {
      const things = await api.things()
      expectStatus(await things.create({ spec }), isTaken ? 201 : 422)
    })
  }

  test('C4-35 of concurrent writers of the same unique value exactly one succeeds', async () => {
    const things = await api.things()
    const other = await api.replica()
    const racers = Array.from({ length: 12 }, (_, at) => {
      const { request } = at % 2 === 0 ? api : other
      return request('POST', things.path, { body: thing({ spec: { code: 'raced' } }) })
    })
    const statuses = (await Promise.all(racers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(11)
    expect(await things.names({ fieldSelector: 'spec.code=raced' })).toHaveLength(1)
  })

  test('C4-36 S2.7-5 objects without a unique value, or with equal values in other indexes, are accepted', async () => {
    const things = await api.things()
    await things.created({ spec: { city: 'Oslo', age: 5 } })
    expectStatus(await things.create({ spec: { city: 'Oslo', age: 5 } }), 201)
  })

  test('C4-37 a duplicate is 409 DuplicateIndexValue and names index, value and holder', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ name: 'the-holder', spec: { code: 'taken-code' } })
    const answer = await things.create({ spec: { code: 'taken-code' } })
    expectProblem(answer, 409, 'DuplicateIndexValue')
    for (const named of ['spec.code', 'taken-code', metadata.name]) expect(answer.text).toContain(named)
  })

  const values = [
    ['spec.rank', 7, '7'],
    ['spec.weight', -1.5, '-1.5'],
    ['spec.active', false, 'false'],
    ['spec.seen', '2030-03-01T10:00:00+01:00', '"2030-03-01T09:00:00Z"'],
    ['spec.scores', [1, 20], '20'],
  ] as const
  for (const [index, value, shown] of values) {
    test(`C4-37 a duplicate in ${index} is named as a value and points to it`, async () => {
      const models = await api.model({ indexes: [{ name: index, unique: true }], composites: [] })
      const field = index.replace('spec.', '')
      await models.created({ name: 'the-holder', spec: { [field]: field === 'scores' ? [20] : value } })
      const answer = await models.create({ spec: { [field]: value } })
      expectProblem(answer, 409, 'DuplicateIndexValue')
      const { detail, errors } = answer.body as { readonly detail: string; readonly errors: readonly object[] }
      expect(detail).toContain(`the value ${shown} of ${index} is taken by "the-holder"`)
      expect(errors).toMatchObject([{ pointer: field === 'scores' ? '/spec/scores/1' : `/spec/${field}` }])
    })
  }

  test('C4-38 an update to a taken value is rejected, an update with its own value is not', async () => {
    const things = await api.things()
    await things.created({ spec: { code: 'first-code' } })
    const { metadata } = await things.created({ spec: { code: 'second-code' } })
    const update = (code: string) =>
      things.put(metadata.name, thing({ name: metadata.name, spec: { code, note: 'changed' } }))
    expectProblem(await update('first-code'), 409, 'DuplicateIndexValue')
    expectStatus(await update('second-code'), 200)
    expectStatus(await update('third-code'), 200)
    expectStatus(await things.create({ spec: { code: 'second-code' } }), 201)
  })

  test('C4-47 lists and watches by an index that duplicates keep from becoming unique are 503 and name two objects', async () => {
    const indexes = plainIndexes('spec.rank')
    const models = await api.model({ indexes, composites: [] })
    for (const name of ['t10', 't20']) await models.created({ name, spec: { rank: 5 } })
    await models.redefine({ indexes: [{ name: 'spec.rank', unique: true }] })
    const status = async () => (await api.request('GET', models.modelPath)).body as { readonly status: object }
    await expect.poll(status).toMatchObject({
      status: { phase: 'DuplicateValues', duplicates: { pairs: [{ value: '5', first: 't10', second: 't20' }] } },
    })
    const asked = { fieldSelector: 'spec.rank=5' }
    const events = { headers: { accept: 'text/event-stream' } }
    for (const answer of [await models.send('GET', asked), await models.send('GET', asked, events)]) {
      expectProblem(answer, 503, 'IndexBuilding')
      expect(answer.headers).not.toHaveProperty('retry-after')
      expect((answer.body as { readonly detail: string }).detail).toContain(
        'spec.rank cannot become unique, because "t10" and "t20" have the same value',
      )
    }
    await models.redefine({ indexes })
    await expect.poll(async () => (await models.send('GET', asked)).status).toBe(200)
  })

  test('C4-39 an index that is added during writes contains all objects', async () => {
    const models = await api.model()
    const note = (at: number) => ({ name: `o-${at}`, spec: { note: at % 2 === 0 ? 'even' : 'odd' } })
    for (let at = 0; at < 200; at++) await models.created(note(at))
    let written = 200
    let building = true
    const writer = async () => {
      while (building) await models.created(note(written++))
    }
    const writing = writer()
    try {
      await models.redefine({ indexes: [...(thingModel.indexes ?? []), { name: 'spec.note' }] })
      const built = async () => (await models.send('GET', { fieldSelector: 'spec.note=odd', size: '1' })).status
      await expect.poll(built).toBe(200)
    } finally {
      building = false
      await writing
    }
    expect((await models.names({ fieldSelector: 'spec.note=even' })).length).toBe(Math.ceil(written / 2))
    expect((await models.names({ fieldSelector: 'spec.note=odd' })).length).toBe(Math.floor(written / 2))
  })
})
