import { describe, expect, test } from 'vitest'
import { thing } from './collection.ts'
import { objectsWith } from './documents.ts'
import { freshModel, modelName, modelObject, modelsPath, schemaOf, thingModel, type ModelSpec } from './models.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

async function register(api: Api, parts: Partial<ModelSpec> = {}, metadata: object = {}): Promise<Answer> {
  return api.request('POST', modelsPath, { body: modelObject(freshModel(parts), metadata) })
}

const label63 = 'a'.repeat(63)
const versions = (name: string) => [{ ...thingModel.versions[0], name }] as ModelSpec['versions']

type Row = readonly [numbers: string, what: string, parts: Partial<ModelSpec>]

const taken: readonly Row[] = [
  ['C4-1', 'a group that is a domain name', { group: 'a-1.sub.example.com' }],
  ['C4-2', 'a group with one dot', { group: 'example.com' }],
  ['C4-3', 'a group of 200 characters', { group: `${label63}.${label63}.${label63}.${'b'.repeat(8)}` }],
  ...['v1', 'v10', 'v1alpha1', 'v2beta10'].map((name): Row => [
    'C4-4',
    `the version ${name}`,
    { versions: versions(name) },
  ]),
  ['C4-5', 'a kind of one letter', { kind: 'K' }],
  ['C4-5', 'a kind of 63 letters and digits', { kind: `K9${'x'.repeat(61)}` }],
  ['C4-6', 'a singular of 63 letters and digits', { singular: `s9${'x'.repeat(61)}` }],
  ['C4-7', 'a plural of 63 letters and digits', { plural: `p9${'x'.repeat(61)}` }],
]

const refused: readonly Row[] = [
  ...['Test.example.com', 'a_b.example.com', '-a.example.com', 'a..example.com', '.example.com', 'example.com.'].map(
    (group): Row => ['C4-1', `the group "${group}"`, { group }],
  ),
  ['C4-2', 'a group without a dot', { group: 'example' }],
  ['C4-3', 'a group of 201 characters', { group: `${label63}.${label63}.${label63}.${'b'.repeat(9)}` }],
  ...['', '1', 'v0', 'v01', 'V1', 'v1alpha', 'v1alpha0', 'v1beta01', 'v1gamma1', 'v1alpha1x'].map((name): Row => [
    'C4-4',
    `the version "${name}"`,
    { versions: versions(name) },
  ]),
  ...['', 'thing', '1Thing', 'Thing_a', `K${'x'.repeat(63)}`].map((kind): Row => [
    'C4-5',
    `the kind "${kind}"`,
    { kind },
  ]),
  ...['Upper', 'uPper'].map((singular): Row => ['C4-6', `the singular "${singular}"`, { singular }]),
  ...['', '1a', 'a-b', `s${'x'.repeat(63)}`].map((singular): Row => [
    'C4-6',
    `the singular "${singular}"`,
    { singular },
  ]),
  ...['Uppers', 'uPpers'].map((plural): Row => ['C4-7', `the plural "${plural}"`, { plural }]),
  ...['', '1a', 'a-b', `p${'x'.repeat(63)}`].map((plural): Row => ['C4-7', `the plural "${plural}"`, { plural }]),
  ['C1-6', 'no version', { versions: [] }],
]

onEachEngine((api) => {
  describe('a definition is accepted with', () => {
    for (const [numbers, what, parts] of taken) {
      test(`${numbers} ${what}`, async () => {
        expectStatus(await register(api, parts), 201)
      })
    }
  })

  describe('a definition is rejected with', () => {
    for (const [numbers, what, parts] of refused) {
      test(`${numbers} ${what}`, async () => {
        expectProblem(await register(api, parts), 422, 'Invalid')
      })
    }
  })

  test('C1-6 a second version is rejected with that reason', async () => {
    const answer = await register(api, { versions: [...versions('v1'), ...versions('v2')] })
    expectProblem(answer, 422, 'Invalid')
    expect(answer.body).toMatchObject({ detail: expect.stringMatching(/version/) as string })
  })

  test('C1-2 a model is an object that can be read', async () => {
    const { modelPath, spec } = await api.model()
    const answer = await api.request('GET', modelPath)
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({
      apiVersion: 'plugin.platform.run/v1alpha1',
      kind: 'Model',
      spec: { group: spec.group, plural: spec.plural, kind: spec.kind, singular: spec.singular },
    })
  })

  test('C1-3 registering a group and plural twice is 409 AlreadyExists', async () => {
    const { spec } = await api.model()
    const body = modelObject(spec)
    expectProblem(await api.request('POST', modelsPath, { body }), 409, 'AlreadyExists')
  })

  test('C1-4 the name of a model is derived from group and plural, given or filled in', async () => {
    const plain = freshModel()
    const answer = await api.request('POST', modelsPath, { body: modelObject(plain) })
    expectStatus(answer, 201)
    expect(answer.body).toMatchObject({ metadata: { name: modelName(plain) } })
    expect(modelName(plain)).toMatch(new RegExp(`^${plain.plural}-[a-z2-7]{10}$`))
    const named = freshModel()
    expectStatus(await api.request('POST', modelsPath, { body: modelObject(named, { name: modelName(named) }) }), 201)
  })

  test('C1-5 any other name of a model is 422', async () => {
    const answer = await register(api, {}, { name: 'samples-aaaaaaaaaa' })
    expectProblem(answer, 422, 'Invalid')
    expect(answer.body).toMatchObject({ errors: [{ pointer: '/metadata/name' }] })
  })

  test('C1-7 the status of a model reports the state of its indexes', async () => {
    const models = await api.model()
    const phase = async () => {
      const { body } = await api.request('GET', models.modelPath)
      return (body as { readonly status?: { readonly phase?: string } }).status?.phase
    }
    expect(await phase()).toBe('Ready')
    for (let at = 0; at < 3; at++) await models.created({ spec: { note: at === 2 ? 'b' : 'a' } })
    const withNote = (parts: object) => ({ indexes: [...(thingModel.indexes ?? []), { name: 'spec.note', ...parts }] })
    const { body: redefined } = await models.redefine(withNote({}))
    expect(redefined).toMatchObject({ status: { phase: 'Building' } })
    await expect.poll(phase).toBe('Ready')
    await models.redefine(withNote({ unique: true }))
    await expect.poll(phase).toBe('DuplicateValues')
  })

  test('C4-405 a group that begins like those of custom APIs is 422, as is what only the code of a plugin can compute', async () => {
    for (const group of ['api.shop.example.com', 'uc.api.shop.example.com', 'console.api.shop.example.com']) {
      const answer = await register(api, { group })
      expectProblem(answer, 422, 'Invalid')
      expect(answer.body).toMatchObject({ errors: [{ pointer: '/spec/group' }] })
    }
    const computed = { indexes: [{ name: 'words', evaluated: 'multi' as const }], check: true, composites: [] }
    const answer = await register(api, computed)
    expectProblem(answer, 422, 'Invalid')
    expect(answer.body).toMatchObject({
      errors: [{ pointer: '/spec/check' }, { pointer: '/spec/indexes/0/evaluated' }],
    })
  })

  test('C4-8 a duplicate kind in a group is rejected', async () => {
    const { spec } = await api.model()
    expectProblem(await register(api, { kind: spec.kind }), 422, 'Invalid')
  })

  test('C4-9 a singular or plural that the group already uses as either is rejected', async () => {
    const { spec } = await api.model()
    for (const parts of [{ singular: spec.singular }, { singular: spec.plural }, { plural: spec.singular }]) {
      expectProblem(await register(api, parts), 422, 'Invalid')
    }
  })

  test('C4-10 another group can use the same names', async () => {
    const { spec } = await api.model()
    const answer = await register(api, { ...spec, group: 'other.example.com' })
    expectStatus(answer, 201)
  })

  test('C4-11 discovery contains the singular', async () => {
    const { spec } = await api.model()
    const { body } = await api.request('GET', '/apis')
    expect(objectsWith('singular', body).map(({ singular }) => singular)).toContain(spec.singular)
  })

  test('S2.1-9 an object without spec is rejected when spec is required', async () => {
    const required = await api.model({ specRequired: true })
    const { metadata } = thing()
    const answer = await api.request('POST', required.path, { body: { metadata } })
    expectProblem(answer, 422, 'Invalid')
    expect(answer.body).toMatchObject({ errors: [{ pointer: '/spec', rule: 'required' }] })
    const optional = await api.model({ specRequired: false })
    expectStatus(await api.request('POST', optional.path, { body: { metadata } }), 201)
  })

  describe('where errors point:', () => {
    const errorsOf = ({ body }: Answer) =>
      (body as { readonly errors: readonly { readonly pointer: string; readonly message: string }[] }).errors
    const unnamed = (parts: Partial<ModelSpec>) =>
      api.request('POST', modelsPath, { body: { spec: freshModel(parts) } })

    test('C4-450 to the fields that were sent', async () => {
      expect(errorsOf(await unnamed({ plural: 'Animals' })).map(({ pointer }) => pointer)).toEqual(['/spec/plural'])
      const indexes = [{ name: 'spec.nothing' }, { name: 'other', path: 'spec.none' }]
      const answer = await unnamed({ indexes, composites: [] })
      expect(errorsOf(answer).map(({ pointer }) => pointer)).toEqual(['/spec/indexes/0/name', '/spec/indexes/1/path'])
    })

    test('C4-451 an index that cannot be built says what to write instead', async () => {
      const fields = {
        lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
        price: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      }
      const of = async (name: string) => {
        const [error] = errorsOf(
          await unnamed({ indexes: [{ name }], composites: [], versions: [{ name: 'v1', schema: schemaOf(fields) }] }),
        )
        return error?.message
      }
      expect(await of('spec.lines.sku')).toMatch(/spec\.lines is an array of objects.*spec\.lines\[\]\.name/)
      expect(await of('spec.lines')).toMatch(/array of objects/)
      expect(await of('spec.price')).toMatch(/anyOf.*"type": \["number", "null"\]/)
    })

    for (const keyword of ['readOnly', 'writeOnly']) {
      test(`C4-452 ${keyword} in a schema is rejected`, async () => {
        const schema = schemaOf({ a: { type: 'string', [keyword]: true } })
        const answer = await unnamed({ indexes: [], composites: [], versions: [{ name: 'v1', schema }] })
        expectProblem(answer, 422, 'Invalid')
        expect(errorsOf(answer)).toMatchObject([
          { pointer: `/spec/versions/0/schema/properties/spec/properties/a/${keyword}` },
        ])
      })
    }
  })
})
