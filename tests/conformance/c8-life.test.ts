import type { ModelDeclaration, PluginDefinition } from '@pergola/api'
import { describe, expect, test, vi } from 'vitest'
import { pluginPackage, type PluginFiles } from '../end-to-end/plugin-package.ts'
import { another, enable, enabling, install, installApproving, notesOf, notesPath, phaseIs, plugins } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const headers = { 'content-type': 'application/merge-patch+json' }
const started = { phase: 'Started' }
const groupOf = (name: string) => `${name}.example.com`
const apiOf = (name: string) => `/apis/api.${groupOf(name)}/v1alpha1/act`

/** A plugin with a model and an API. */
const withNotes = (name: string, model: Partial<ModelDeclaration> = {}): PluginDefinition =>
  another(name, {
    models: [notesOf(name, model)],
    routes: [{ audience: 'public', method: 'GET', path: apiOf(name) }],
  })
const answers = "(request, response) => response.setHeader('content-type', 'application/json').end('{}')"
const words = { name: 'words', evaluated: 'multi', revision: 1 } as const

onEachEngine((api) => {
  const begin = async (name: string, files: PluginFiles) => {
    expectStatus(await install(api, files), 201)
    await phaseIs(api, started, name)
  }
  const create = (name: string, title: string) =>
    api.request('POST', notesPath(name), { body: { metadata: { generateName: 'note-' }, spec: { title } } })
  /** Installs version 2.0.0 while the plugin is disabled, then enables it. */
  const replace = async (name: string, files: PluginFiles) => {
    await enable(api, name, false)
    expectStatus(await install(api, { ...files, version: '2.0.0' }), 200)
    await enabling(api, name, true)
  }

  test('C8-31 S3-4 while its indexes are built a plugin is NotStarted with the progress, and its APIs are 503', async () => {
    const name = 'slow'
    await begin(name, { definition: withNotes(name), answer: answers })
    // The test plugin delays the evaluation of titles that start with `many`, so that the build can be observed.
    for (let at = 0; at < 4; at++) expectStatus(await create(name, `many of ${at}`), 201)
    await replace(name, { definition: withNotes(name, { indexes: [words] }), answer: answers })
    const message = expect.stringMatching(/^\d+ % of its indexes are built$/) as string
    await phaseIs(api, { phase: 'NotStarted', reason: 'BuildingIndexes', message }, name)
    expectProblem(await api.request('GET', notesPath(name)), 503, 'PluginNotStarted')
    expectProblem(await api.request('GET', apiOf(name)), 503, 'PluginNotStarted')
    await phaseIs(api, started, name)
    const found = await api.request('GET', `${notesPath(name)}?fieldSelector=words%3Dmany`)
    expect((found.body as { readonly items: unknown[] }).items).toHaveLength(4)
  })

  test('C4-46 C8-406 a plugin whose unique index finds duplicates lists the pairs, and starts once they are repaired', async () => {
    const name = 'twice'
    await begin(name, { definition: withNotes(name), answer: answers })
    const names: string[] = []
    for (const title of ['same', 'same', 'other']) {
      const { body } = await create(name, title)
      names.push((body as { readonly metadata: { readonly name: string } }).metadata.name)
    }
    const unique = withNotes(name, { indexes: [{ name: 'spec.title', unique: true }] })
    await replace(name, { definition: unique, answer: answers })
    await phaseIs(api, { phase: 'NotStarted', reason: 'DuplicateValues' }, name)
    const { body } = await api.request('GET', `${plugins}/${name}`)
    const { message } = (body as { readonly status: { readonly message: string } }).status
    for (const held of names.slice(0, 2)) expect(message).toContain(held)
    expect(message).not.toContain(names[2])
    await expect.poll(async () => (await api.request('GET', notesPath(name))).status).toBe(200)
    expectStatus(await api.request('GET', `${notesPath(name)}/${names[1]}`), 200)
    const change = { headers, body: { spec: { title: 'mended' } } }
    expectStatus(await api.request('PATCH', `${notesPath(name)}/${names[1]}`, change), 200)
    expectStatus(await api.request('DELETE', `${notesPath(name)}/${names[2]}`), 200)
    await phaseIs(api, started, name)
  })

  test('C8-404 models in the groups of a plugin are declared, changed and deleted by its package alone', async () => {
    const name = 'owning'
    await begin(name, { definition: withNotes(name), answer: answers })
    const models = '/apis/plugin.platform.run/v1alpha1/models'
    const { body } = await api.request('GET', `${models}?fieldSelector=spec.group%3D${groupOf(name)}`)
    const [model] = (body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] }).items
    const path = `${models}/${model?.metadata.name}`
    const patched = await api.request('PATCH', path, { headers, body: { spec: { indexes: [] } } })
    const deleted = await api.request('DELETE', path)
    const spec = { ...notesOf(name), plural: 'pets', singular: 'pet', kind: 'Pet' }
    const created = await api.request('POST', models, { body: { spec } })
    for (const answer of [patched, deleted, created]) {
      expectProblem(answer, 409, 'InUse')
      expect(answer.body).toMatchObject({ detail: expect.stringContaining(`the plugin ${name}`) as string })
    }
    expectStatus(await api.request('GET', notesPath(name)), 200)
  })

  test('C1-407 a model is Ready after an upgrade that adds an index', async () => {
    const name = 'renewed'
    await begin(name, { definition: withNotes(name), answer: answers })
    expectStatus(await create(name, 'one'), 201)
    const definition = withNotes(name, { indexes: [{ name: 'spec.title' }] })
    expectStatus(await install(api, { definition, answer: answers, version: '2.0.0' }), 200)
    await phaseIs(api, { phase: 'Started', upgrade: { phase: 'Switched', to: '2.0.0' } }, name)
    const models = `/apis/plugin.platform.run/v1alpha1/models?fieldSelector=spec.group%3D${groupOf(name)}`
    const phases = async () => {
      const { body } = await api.request('GET', models)
      const { items } = body as { readonly items: readonly { readonly status: { readonly phase: string } }[] }
      return items.map(({ status }) => status.phase)
    }
    await expect.poll(phases).toEqual(['Ready'])
  })

  describe('a plugin whose process has ended', () => {
    const ends = `(request, response) => { console.log('its last words'); process.exit(3) }`

    test('C8-32 a process that ends is restarted; meanwhile only requests that need it are 503', async () => {
      const name = 'ending'
      await begin(name, { definition: withNotes(name, { check: true }), answer: ends })
      const made = await create(name, 'before')
      expectStatus(made, 201)
      await api.request('GET', apiOf(name))
      await phaseIs(api, { phase: 'NotStarted', reason: 'BackingOff' }, name)
      const [read, asked, written] = await Promise.all([
        api.request('GET', notesPath(name)),
        api.request('GET', apiOf(name)),
        create(name, 'meanwhile'),
      ])
      expectStatus(read, 200)
      expectProblem(asked, 503, 'PluginNotStarted')
      expectProblem(written, 503, 'PluginNotStarted')
      await phaseIs(api, started, name)
      expectStatus(await create(name, 'after'), 201)
    })

    test('C8-383 files that a process left in its folder are deleted at its next start', async () => {
      const name = 'leaving'
      const leaves = `(request, response) => {
        if (existsSync('left')) return response.end('{"left":true}')
        if (request.url.endsWith('?leave')) { writeFileSync('left', ''); process.exit(3) }
        response.end('{"left":false}')
      }`
      await begin(name, { definition: withNotes(name), answer: leaves })
      await api.request('GET', `${apiOf(name)}?leave`)
      await phaseIs(api, { phase: 'NotStarted', reason: 'BackingOff' }, name)
      await phaseIs(api, started, name)
      expect((await api.request('GET', apiOf(name))).body).toEqual({ left: false })
    })

    test('C8-33 the status shows by replica how the process ended, with its last lines', async () => {
      const name = 'telling'
      await begin(name, { definition: withNotes(name), answer: ends })
      await api.request('GET', apiOf(name))
      const message = expect.stringMatching(/^it ended with code 3\n[^]*its last words/) as string
      const replica = {
        replica: expect.any(String) as string,
        digest: expect.stringMatching(/^sha256:/) as string,
        phase: 'NotStarted',
        reason: 'BackingOff',
        message,
      }
      await phaseIs(api, { phase: 'NotStarted', reason: 'BackingOff', message, replicas: [replica] }, name)
      const logs = await api.request('GET', `/apis/console.api.platform.run/v1alpha1/plugins/${name}/logs`)
      expect((logs.body as { readonly items: readonly string[] }).items).toContain('its last words')
    })
  })

  describe('a plugin that runs', () => {
    const tellsPid = `(request, response) => { console.log('asked'); response.setHeader('content-type', 'application/json').end(String(process.pid)) }`
    const below = (name: string, word: string) => `/apis/console.api.platform.run/v1alpha1/plugins/${name}/${word}`

    test('C8-375 restart replaces the process without a rejected request', async () => {
      const name = 'anew'
      await begin(name, { definition: withNotes(name), answer: tellsPid })
      const before = (await api.request('GET', apiOf(name))).body
      expectStatus(await api.request('POST', below(name, 'restart')), 200)
      const statuses = new Set<number>()
      await vi.waitFor(
        async () => {
          const { status, body } = await api.request('GET', apiOf(name))
          statuses.add(status)
          expect(body).not.toEqual(before)
        },
        { timeout: 60_000, interval: 5 },
      )
      await phaseIs(api, { ...started, replicas: [{ restarts: 1, ...started }] }, name)
      expect([...statuses]).toEqual([200])
    })

    test('C8-376 restart is 400 for a disabled plugin and 409 during an upgrade', async () => {
      const name = 'away'
      await begin(name, { definition: withNotes(name), answer: tellsPid })
      const never = { 'plugin.js': 'setInterval(() => {}, 1_000)' }
      const next = { definition: withNotes(name), answer: tellsPid, version: '2.0.0', files: never }
      expectStatus(await install(api, next), 200)
      expectProblem(await api.request('POST', below(name, 'restart')), 409, 'InUse')
      await enable(api, name, false)
      expectProblem(await api.request('POST', below(name, 'restart')), 400, 'BadRequest')
      expectProblem(await api.request('POST', below('nobody', 'restart')), 404, 'NotFound')
    })

    test('C8-377 log lines are numbered across processes and replicas, and after returns the later ones', async () => {
      const name = 'spoken'
      await begin(name, { definition: withNotes(name), answer: tellsPid })
      const after = async (line: number) => {
        const { body } = await api.request('GET', `${below(name, 'logs')}?after=${line}`)
        return body as { readonly items: readonly string[]; readonly last: number }
      }
      await api.request('GET', apiOf(name))
      await vi.waitFor(async () => expect((await after(0)).items).toContain('asked'), { timeout: 60_000 })
      const { last } = await after(0)
      expect(await after(last)).toEqual({ items: [], times: [], replicas: [], last })
      expectStatus(await api.request('POST', below(name, 'restart')), 200)
      await phaseIs(api, { replicas: [{ restarts: 1, ...started }] }, name)
      await api.request('GET', apiOf(name))
      await vi.waitFor(async () => expect((await after(last)).items).toContain('asked'), { timeout: 60_000 })
      const since = await after(last)
      expect(since.last).toBe(last + since.items.length)
      expectProblem(await api.request('GET', `${below(name, 'logs')}?after=last`), 400, 'BadRequest')
    })
  })

  test('C8-34 a plugin that uses more memory than its limit is killed, with both figures in the status', async () => {
    const name = 'greedy'
    const answer = `(request, response) => { globalThis.kept = Buffer.alloc(300 * 1024 * 1024, 1); response.end('{}') }`
    await begin(name, { definition: withNotes(name), answer })
    await api.request('GET', apiOf(name))
    const message = expect.stringMatching(/used \d+ MiB of memory; the limit is 128/) as string
    await phaseIs(api, { phase: 'NotStarted', reason: 'BackingOff', message }, name)
  })

  test('C8-504 C8-505 a plugin may use what it needs once that is approved; an operator sets more or less', async () => {
    const name = 'hungry'
    const answer = `(request, response) => { globalThis.kept = Buffer.alloc(200 * 1024 * 1024, 1); response.end('{}') }`
    const sent = pluginPackage({ definition: { ...withNotes(name), needs: { memory: 400 } }, answer })
    const refused = await installApproving(api, sent, [])
    expectProblem(refused, 422, 'Invalid')
    expect(JSON.stringify(refused.body)).toContain('400 MiB of memory')
    expectStatus(await installApproving(api, sent, ['400 MiB of memory']), 201)
    await phaseIs(api, started, name)
    expectStatus(await api.request('GET', apiOf(name)), 200)
    await phaseIs(api, { ...started, replicas: [started] }, name)
    const setLimits = (limits: object) =>
      api.request('PATCH', `${plugins}/${name}`, { headers, body: { spec: { limits } } })
    expectProblem(await setLimits({ memory: 1 }), 422, 'Invalid')
    expectStatus(await setLimits({ memory: 128 }), 200)
    await phaseIs(api, { ...started, replicas: [{ ...started, restarts: 1 }] }, name)
    await api.request('GET', apiOf(name))
    const message = expect.stringMatching(/used \d+ MiB of memory; the limit is 128/) as string
    await phaseIs(api, { phase: 'NotStarted', reason: 'BackingOff', message }, name)
  })

  test('C8-378 a plugin that allocates much and retains little is not killed', async () => {
    const name = 'wasteful'
    // The objects of each round live long enough to be promoted to the old generation.
    const answer = `async (request, response) => {
      for (let round = 0; round < 40; round++) {
        const kept = []
        for (let at = 0; at < 100_000; at++) kept.push({ at, text: 'text ' + at })
        await new Promise((done) => setTimeout(done, 20))
      }
      response.setHeader('content-type', 'application/json').end('{}')
    }`
    await begin(name, { definition: withNotes(name), answer })
    expectStatus(await api.request('GET', apiOf(name)), 200)
    await phaseIs(api, started, name)
  })

  test('C8-35 declared objects are applied all or none, and the error names file and document', async () => {
    const name = 'wrong'
    const yaml = (object: string, spec: string) => `
apiVersion: ${groupOf(name)}/v1alpha1
kind: Note
metadata: { name: ${object} }
spec: ${spec}
`
    const files = { 'extensions/notes.yaml': `${yaml('first', '{ title: good }')}---${yaml('second', '{ title: 1 }')}` }
    expectStatus(await install(api, { definition: withNotes(name), answer: answers, files }), 201)
    const message = expect.stringMatching(/^extensions\/notes\.yaml, document 2: .*spec\.title/) as string
    await phaseIs(api, { phase: 'Failed', message }, name)
    expectStatus(await api.request('GET', `${notesPath(name)}/first`), 404)
  })

  test('C8-36 declared objects are kept while the plugin is disabled', async () => {
    const name = 'resting'
    const yaml = `
apiVersion: v1alpha1
kind: Role
metadata: { name: resting-view, labels: { platform.run/role-template: "true" } }
rules: [{ apiGroups: [${groupOf(name)}], resources: [notes], verbs: [get] }]
`
    await begin(name, { definition: withNotes(name), answer: answers, files: { 'extensions/roles.yaml': yaml } })
    await enable(api, name, false)
    expectStatus(await api.request('GET', '/api/v1alpha1/roles/resting-view'), 200)
    expectProblem(await api.request('GET', notesPath(name)), 503, 'PluginNotStarted')
  })
})
