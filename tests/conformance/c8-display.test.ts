import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPergola } from '../end-to-end/pergola-process.ts'
import { pluginPackage } from '../end-to-end/plugin-package.ts'
import { freshModel, modelObject, modelsPath, plainIndexes, thingFields, versionsOf, type ModelSpec } from './models.ts'
import { another, enable, installPackage, notesOf, packages } from './plugin.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine, once, type Api } from './server.ts'

const gzip = { 'content-type': 'application/gzip' }
const ownTokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
const text = { type: 'string' }
const state = { enum: ['open', 'done'] }

interface Discovery {
  readonly groups: readonly {
    readonly versions: readonly { readonly models: readonly { readonly plural: string; readonly display?: object }[] }[]
  }[]
}

interface Properties {
  readonly spec: { readonly properties: Readonly<Record<string, object>> }
}

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: Properties }>> }
}

function register(api: Api, parts: Partial<ModelSpec>): Promise<Answer> {
  return api.request('POST', modelsPath, { body: modelObject(freshModel(parts)) })
}

/** The places of the errors in a rejected model. */
function rejectedAt(answer: Answer): readonly string[] {
  expectProblem(answer, 422, 'Invalid')
  const { errors } = answer.body as { readonly errors: readonly { readonly pointer: string }[] }
  return errors.map((error) => error.pointer)
}

const wrongDisplays: readonly (readonly [numbers: string, what: string, display: object, pointer: string])[] = [
  ['C8-411', 'an unknown key', { colour: 'red' }, '/colour'],
  ['C8-411', 'an unknown icon', { icon: 'unicorn' }, '/icon'],
  ['C8-411', 'an unknown color', { color: 'purple' }, '/color'],
  ['C8-411', 'a title that the schema does not have', { title: 'spec.nothing' }, '/title'],
  ['C8-411', 'a title that is not a string', { title: 'spec.age' }, '/title'],
  ['C8-411', 'a summary that the schema does not have', { summary: 'spec.nothing' }, '/summary'],
  ['C8-411', 'a column that the schema does not have', { columns: ['spec.city', 'spec.nothing'] }, '/columns/1'],
  ['C8-411', 'an empty section', { section: '' }, '/section'],
  [
    'C8-412',
    'nine columns',
    {
      columns: ['city', 'code', 'note', 'nick', 'age', 'rank', 'weight', 'active', 'seen'].map((one) => `spec.${one}`),
    },
    '/columns',
  ],
]

const wrongFields: readonly (readonly [numbers: string, what: string, display: unknown, pointer: string])[] = [
  ['C8-413', 'an unknown key', { tone: {} }, '/tone'],
  ['C8-413', 'an unknown form', { as: 'html' }, '/as'],
  ['C8-413', 'a tone of a value that the enum does not have', { tones: { closed: 'red' } }, '/tones/closed'],
  ['C8-413', 'a tone in an unknown color', { tones: { open: 'purple' } }, '/tones/open'],
  ['C8-413', 'a unit that is no text', { unit: 7 }, '/unit'],
  ['C8-413', 'a label in no language', { label: { English: 'State' } }, '/label/English'],
  ['C8-413', 'a long placeholder', { placeholder: 'x'.repeat(101) }, '/placeholder'],
]

onEachEngine((api) => {
  for (const [numbers, what, display, pointer] of wrongDisplays) {
    test(`${numbers} a model with ${what} in its display is rejected`, async () => {
      expect(rejectedAt(await register(api, { display }))).toEqual([`/spec/display${pointer}`])
    })
  }

  test('C8-412 a model may have eight columns', async () => {
    const names = ['city', 'code', 'note', 'nick', 'age', 'rank', 'weight', 'active']
    expectStatus(await register(api, { display: { columns: names.map((name) => `spec.${name}`) } }), 201)
  })

  for (const [numbers, what, display, pointer] of wrongFields) {
    test(`${numbers} a field with ${what} in x-display is rejected`, async () => {
      const versions = versionsOf({ state: { ...state, 'x-display': display } })
      const place = '/spec/versions/0/schema/properties/spec/properties/state/x-display'
      const answer = await register(api, { versions, indexes: [], composites: [] })
      expect(rejectedAt(answer)).toEqual([`${place}${pointer}`])
    })
  }

  test('C8-420 any other keyword that begins with x- is rejected', async () => {
    const versions = versionsOf({ state: { ...state, 'x-anything': {} } })
    const place = '/spec/versions/0/schema/properties/spec/properties/state/x-anything'
    expect(rejectedAt(await register(api, { versions, indexes: [], composites: [] }))).toEqual([place])
  })

  test('C8-414 discovery has the display of a model, and its OpenAPI document that of the fields', async () => {
    const display = { title: 'spec.city', icon: 'box', color: 'teal', columns: ['spec.age'], section: 'Stock' }
    // Named like keywords that are rewritten for input.
    const tones = { default: 'grey', $ref: 'red' }
    const kind = { enum: ['default', '$ref'], 'x-display': { tones, label: { en: 'Kind' } } }
    const age = { type: 'integer', 'x-display': { unit: { after: 'y' } } }
    const parts = { versions: versionsOf({ city: text, age, kind }), indexes: [], composites: [] }
    const { spec } = await api.model({ ...parts, display })
    const { body } = await api.request('GET', '/apis')
    const { groups } = body as Discovery
    const models = groups.flatMap(({ versions }) => versions.flatMap((version) => version.models))
    expect(models.find(({ plural }) => plural === spec.plural)?.display).toEqual(display)
    const document = await api.request('GET', `/openapi/v3/apis/${spec.group}/v1alpha1`)
    const { schemas } = (document.body as OpenApi).components
    for (const name of [spec.kind, `${spec.kind}Input`]) {
      const { properties } = schemas[name]?.properties.spec ?? {}
      expect(properties).toMatchObject({ age, kind })
    }
  })

  test('C8-415 another display changes no object and builds no index', async () => {
    const things = await api.model()
    await things.created({ name: 'one' })
    const before = await things.get('one')
    const city = { ...thingFields['city'], 'x-display': { as: 'multiline' } }
    const versions = versionsOf({ ...thingFields, city }, ['city'])
    const display = { title: 'spec.city', columns: ['spec.age'] }
    const changed = await api.request('PUT', things.modelPath, {
      body: modelObject({ ...things.spec, versions, display }),
    })
    expectStatus(changed, 200)
    expect(changed.body).toMatchObject({ spec: { display }, status: { phase: 'Ready' } })
    const after = await things.get('one')
    expect(after.text).toBe(before.text)
    expect(after.headers['etag']).toBe(before.headers['etag'])
    expect(await things.listed({ fieldSelector: 'spec.city=Rome', size: '5' })).toMatchObject({ page: 1 })
    expectStatus(await things.put('one', before.body), 200)
    expect((await things.read('one')).metadata).toMatchObject({ version: 0, generation: 1 })
  })

  test('C8-418 icon and color of a plugin are in the plugin object and in the list of pages', async () => {
    const look = { icon: 'book-open', color: 'violet' } as const
    const files = { 'ui/index.js': 'export default {}' }
    const body = pluginPackage({ definition: another('shelves'), about: look, files, ui: 'ui/index.js' })
    const installing = await installPackage(api, body)
    expectStatus(installing, 201)
    expect(installing.body).toMatchObject({ spec: look })
    await enable(api, 'shelves')
    await expect
      .poll(async () => (await api.request('GET', '/plugins/pages.json')).body)
      .toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ name: 'shelves', ...look })]) as object,
      })
    for (const about of [{ icon: 'unicorn' }, { color: 'purple' }]) {
      const refused = pluginPackage({ definition: another('shelves'), about: about as object })
      expectProblem(
        await api.request('POST', `${packages}?plan=true`, { body: refused, headers: gzip }),
        422,
        'Invalid',
      )
    }
  })

  test('C8-419 the plan of an upgrade says in one line that displays change, and asks for no approval', async () => {
    const packed = (version: string, change: Parameters<typeof notesOf>[1]) =>
      pluginPackage({ definition: another('shown', { models: [notesOf('shown', change)] }), version })
    expectStatus(await installPackage(api, packed('1.0.0', {})), 201)
    const body = packed('1.1.0', { display: { icon: 'star' } })
    const { body: plan } = await api.request('POST', `${packages}?plan=true`, { body, headers: gzip })
    const { sections, approvals = [] } = plan as { readonly sections: readonly object[]; readonly approvals?: object[] }
    const shown = { code: 'model-display', values: { resource: 'notes' }, change: '~', risk: 'none' }
    expect(sections).toContainEqual({ code: 'models', items: [shown] })
    expect(approvals).toEqual([])
  })

  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pergola-display-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const signIn = once(async () => {
    const made = await api.request('POST', ownTokens, { body: {} })
    expectStatus(made, 201)
    writeFileSync(join(folder, 'token'), (made.body as { readonly token: string }).token)
  })
  /** The heads of `pergola list`, for a model with one object. */
  const headsOf = async (fields: Readonly<Record<string, object>>, parts: Partial<ModelSpec>, spec: object) => {
    const versions = versionsOf(fields as Parameters<typeof versionsOf>[0])
    const things = await api.model({ versions, indexes: [], composites: [], ...parts })
    expectStatus(await api.request('POST', things.path, { body: { metadata: { name: 'one' }, spec } }), 201)
    await signIn()
    const env = { PERGOLA_SERVER: api.origin(), PERGOLA_TOKEN_FILE: 'token', XDG_CONFIG_HOME: folder }
    await using pergola = startPergola({ args: ['list', things.spec.plural], directory: folder, env })
    expect(await pergola.exited, pergola.stderr()).toBe(0)
    return pergola.stdout().split('\n')[0]?.trim().split(/ {2,}/)
  }

  test('C8-416 pergola list shows the title and the columns, by default the indexed fields, with labels and units', async () => {
    const fields = {
      title: text,
      hours: { type: 'number', 'x-display': { unit: 'h' } },
      due: { ...text, 'x-display': { label: { en: 'Due date', zh: '截止' } } },
      note: text,
    }
    const spec = { title: 'Tea', hours: 1, due: 'now', note: 'hot' }
    const indexes = plainIndexes('spec.note', 'spec.hours')
    const display = { title: 'spec.note', columns: ['spec.hours', 'spec.due'] }
    expect(await headsOf(fields, { indexes }, spec)).toEqual(['NAME', 'TITLE', 'NOTE', 'HOURS (h)', 'AGE'])
    expect(await headsOf(fields, { indexes, display }, spec)).toEqual(['NAME', 'NOTE', 'HOURS (h)', 'DUE DATE', 'AGE'])
  })

  test('C8-417 the title is by default spec.title, spec.displayName, spec.name or spec.subject, and else the name', async () => {
    const order = ['title', 'displayName', 'name', 'subject']
    const heads = ['TITLE', 'DISPLAY NAME', 'SPEC.NAME', 'SUBJECT']
    for (const [at, head] of heads.entries()) {
      const names = order.slice(at).toReversed()
      const fields = Object.fromEntries(names.map((name) => [name, text]))
      const spec = Object.fromEntries(names.map((name) => [name, 'x']))
      expect(await headsOf(fields, {}, spec)).toEqual(['NAME', head, 'AGE'])
    }
    expect(await headsOf({ topic: text }, {}, { topic: 'x' })).toEqual(['NAME', 'AGE'])
  })
})
