import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelDeclaration, PluginDefinition } from '@pergola/api'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { digestOf } from '../../packages/server/src/plugins/package/unpack-archive.ts'
import { processesOf } from '../faults/plugins/left-behind.ts'
import { dumpDatabase } from '../security/dump.ts'
import { engines, plugins, startHost, type PluginHost } from './plugin-host.ts'
import { packageOf, pluginPackage, todoDefinition } from './plugin-package.ts'

/** A failed install reports the reason and the next step, and leaves nothing of the package behind. */
const administration = '/apis/console.api.platform.run/v1alpha1/plugins'
const models = '/apis/plugin.platform.run/v1alpha1/models'
/** A separate TMPDIR, so that files of other tests do not count. Traversable, because plugins run under other accounts. */
const directory = mkdtempSync(join(tmpdir(), 'pergola-failures-'))
chmodSync(directory, 0o711)
beforeAll(() => void vi.stubEnv('TMPDIR', directory))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

const groupOf = (name: string) => `${name}.example.com`
const notesOf = (name: string) => `/apis/${groupOf(name)}/v1alpha1/notes`

/** A definition with one model, notes. */
function definitionOf(name: string, change: Partial<ModelDeclaration> = {}): PluginDefinition {
  const spec = { type: 'object', properties: { title: { type: 'string' } } }
  const model: ModelDeclaration = {
    group: groupOf(name),
    kind: 'Note',
    singular: 'note',
    plural: 'notes',
    versions: [{ name: 'v1alpha1', schema: { properties: { spec } } }],
    check: false,
    ...change,
  }
  return { ...todoDefinition, name, groups: [groupOf(name)], models: [model], routes: [] }
}

const role = (name: string) => `
apiVersion: v1alpha1
kind: Role
metadata: { name: ${name}-view, labels: { platform.run/role-template: "true" } }
rules: [{ apiGroups: [${groupOf(name)}], resources: [notes], verbs: [get] }]
`
const unique = { indexes: [{ name: 'spec.title', unique: true }] } as const

interface Sent {
  readonly definition?: PluginDefinition
  readonly version?: string
  readonly files?: Readonly<Record<string, string>>
}

const packed = (name: string, { definition = definitionOf(name), version = '1.0.0', files = {} }: Sent = {}) =>
  pluginPackage({ definition, version, files: { 'extensions/roles.yaml': role(name), ...files } })

describe.each(engines)('on %s', (engine) => {
  let host: PluginHost
  const send: PluginHost['send'] = (line, options) => host.send(line, { token: host.admin, ...options })
  const start = (file: string, env: Readonly<Record<string, string>> = {}) =>
    startHost(engine, engine === 'SQLite' ? `sqlite:${join(directory, file)}` : undefined, { env })
  beforeAll(async () => {
    host = await start('data.db')
  })
  afterAll(() => host[Symbol.asyncDispose]())

  test('a package with an invalid manifest leaves nothing behind', async () => {
    const name = 'misnamed'
    const manifest = { name, version: 'newest', definition: definitionOf(name) }
    const sent = packageOf({ 'plugin.json': JSON.stringify(manifest), 'plugin.js': '' })
    expect(await host.install(sent)).toMatchObject({
      status: 422,
      body: {
        detail:
          'the package cannot be used: its plugin.json has no version such as 1.0.0; make it with "pergola plugin pack"',
      },
    })
    expect(await leftOf(host, name, [sent])).toEqual(nothing)
  })

  test('a package with a group of another plugin is rejected, also in a plan', async () => {
    const holding = packed('holder')
    await host.install(holding)
    await host.phaseIs('holder', { phase: 'Started' })
    const name = 'taker'
    const definition = { ...definitionOf('holder'), name }
    const sent = packed(name, { definition })
    const refused = {
      status: 409,
      body: {
        reason: 'DuplicateIndexValue',
        detail:
          'the group "holder.example.com" belongs to the plugin "holder"; claim another group, or purge holder with its data first',
      },
    }
    expect(await send(`POST ${administration}/-/packages?plan=true`, { body: sent })).toMatchObject(refused)
    expect(await host.install(sent)).toMatchObject(refused)
    expect(await leftOf(host, name, [sent])).toEqual(nothing)
    expect(await leftOf(host, 'holder', [holding])).toEqual({
      plugin: 200,
      models: [expect.stringMatching(/^notes-/) as string],
      roles: ['holder-view'],
      packages: 1,
      files: [expect.any(String) as string, expect.any(String) as string],
      processes: [expect.any(Number) as number],
    })
  })

  test('a package that arrives during an upgrade is rejected', async () => {
    const name = 'hurried'
    const first = packed(name)
    await host.install(first)
    await host.phaseIs(name, { phase: 'Started' })
    const stuck = packed(name, { version: '2.0.0', files: { 'plugin.js': 'setInterval(() => {}, 1000)' } })
    await host.install(stuck)
    const third = packed(name, { version: '3.0.0' })
    expect(await host.install(third)).toMatchObject({
      status: 409,
      body: {
        reason: 'InUse',
        detail: 'hurried is being upgraded to 2.0.0; wait until that has ended, or disable the plugin to abort it',
      },
    })
    expect(await leftOf(host, name, [third])).toMatchObject({ plugin: 200, packages: 0 })
    await purged(host, name, [first, stuck, third])
  })

  test('a package with an invalid schema leaves nothing behind', async () => {
    const name = 'unschooled'
    const [model] = definitionOf(name).models
    const spec = { type: 'object', properties: { size: { type: 'number', minimum: 'one' } } }
    const wrong: Partial<ModelDeclaration> = { versions: [{ name: 'v1alpha1', schema: { properties: { spec } } }] }
    const second = { kind: 'Page', singular: 'page', plural: 'pages', ...wrong }
    const definition = { ...definitionOf(name), models: model ? [model, { ...model, ...second }] : [] }
    const sent = packed(name, { definition })
    const { status, body } = await host.install(sent)
    expect(status).toBe(422)
    expect(body['detail']).toMatch(
      /^the package cannot be used: its model pages of unschooled\.example\.com: .*size\.minimum must be of type number; correct the model and pack the plugin again$/,
    )
    expect(await leftOf(host, name, [sent])).toEqual(nothing)
  })

  test('a plugin whose new unique index finds duplicates does not start, and can be repaired', async () => {
    const name = 'doubled'
    const first = packed(name)
    await host.install(first)
    await host.phaseIs(name, { phase: 'Started' })
    for (const one of ['one', 'two']) {
      const body = { metadata: { name: one }, spec: { title: 'same' } }
      expect((await send(`POST ${notesOf(name)}`, { body })).status).toBe(201)
    }
    await send(`POST ${administration}/${name}/uninstall`)
    await host.phaseIs(name, { reason: 'Uninstalled' })
    const second = packed(name, { definition: definitionOf(name, unique), version: '2.0.0' })
    await host.install(second)
    await host.phaseIs(name, {
      phase: 'NotStarted',
      reason: 'DuplicateValues',
      message: expect.stringMatching(
        /^notes have duplicate values of spec\.title, which must be unique; change or delete one of each; the plugin then starts: "same": (one, two|two, one)$/,
      ) as string,
    })
    expect(await leftOf(host, name, [])).toMatchObject({ roles: [] })

    await expect.poll(async () => (await send(`DELETE ${notesOf(name)}/two`)).status).toBe(200)
    await host.phaseIs(name, { phase: 'Started' })
    await purged(host, name, [second])
  })

  test('a plugin whose process exits is restarted with a delay', async () => {
    const name = 'leaver'
    const sent = packed(name, { files: { 'plugin.js': `console.error('no license found'); process.exit(4)` } })
    expect((await host.install(sent)).status).toBe(201)
    await host.phaseIs(name, {
      phase: 'NotStarted',
      reason: 'BackingOff',
      message: expect.stringMatching(
        /^it ended with code 4 before it was healthy:\n {2}no license found\nit is started again in \d+ s$/,
      ) as string,
    })
    const { body } = await host.send(`GET ${administration}/${name}/logs`, { token: host.admin })
    expect((body['items'] as string[]).slice(0, 2)).toEqual([
      'no license found',
      'pergola: it ended with code 4 before it was healthy; it is started again in 1 s',
    ])
    expect(await leftOf(host, name, [])).toMatchObject(nothingServed)
    await purged(host, name, [sent])
  })
})

const nothing = { plugin: 404, models: [], roles: [], packages: 0, files: [], processes: [] }
/** For a plugin whose process has not answered. */
const nothingServed = { models: [], roles: [] }

/** What exists of a plugin in the API, in the database, on disk and as processes. */
async function leftOf(host: PluginHost, name: string, packages: readonly Buffer[]) {
  const kept = new Set((await dumpDatabase(host.databaseUrl)).others.map(({ bytes }) => bytes.toString('utf8')))
  const registered = await itemsOf(host, models)
  const roles = await namesOf(host, '/api/v1alpha1/roles')
  return {
    plugin: (await host.send(`GET ${plugins}/${name}`, { token: host.admin })).status,
    models: registered.filter(({ spec }) => spec?.group === groupOf(name)).map(({ metadata }) => metadata.name),
    roles: roles.filter((one) => one.startsWith(`${name}-`)),
    packages: packages.filter((bytes) => kept.has(digestOf(bytes))).length,
    files: readdirSync(directory).filter((one) => one.startsWith(`pergola-${name}-`)),
    processes: processesOf(name, directory),
  }
}

async function purged(host: PluginHost, name: string, packages: readonly Buffer[]): Promise<void> {
  expect((await host.send(`POST ${administration}/${name}/purge`, { token: host.admin })).status).toBe(200)
  const look = async () => expect(await leftOf(host, name, packages)).toEqual(nothing)
  await vi.waitFor(look, { timeout: 60_000, interval: 200 })
}

interface Item {
  readonly metadata: { readonly name: string }
  readonly spec?: { readonly group?: string }
}

async function namesOf(host: PluginHost, path: string): Promise<readonly string[]> {
  return (await itemsOf(host, path)).map(({ metadata }) => metadata.name)
}

async function itemsOf(host: PluginHost, path: string): Promise<readonly Item[]> {
  const { body } = await host.send(`GET ${path}`, { token: host.admin })
  return body['items'] as readonly Item[]
}
