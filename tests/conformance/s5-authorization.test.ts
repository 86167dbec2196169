import { describe, expect, test } from 'vitest'
import { createRole, expectSoon, person, type Person } from './people.ts'
import { expectProblem, expectStatus, type RequestOptions } from './request.ts'
import { onEachEngine, type Api } from './server.ts'
import { isLetThrough, statusOf, verbRequests } from './verb-requests.ts'

const everyPath = { nonResourceURLs: ['*'], verbs: ['*'] }
const everyResource = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }

/** The sentence of each verb. */
const numbers: Readonly<Record<string, string>> = {
  create: 'S5-8',
  get: 'S5-9',
  list: 'S5-10',
  watch: 'S5-11',
  update: 'S5-12',
  patch: 'S5-13',
  delete: 'S5-14',
  deletecollection: 'S5-15',
}

/** Creates a user with these rules and waits until they are in effect. */
async function holder(api: Api, rules: readonly object[], allowed: string): Promise<Person> {
  const who = await person(api, { roles: [await createRole(api, { rules })] })
  await expectSoon(async () => expect(isLetThrough((await who.request('GET', allowed)).status)).toBe(true))
  return who
}

onEachEngine((api) => {
  test('S1-5 only the super administrator may use any verb on a model that is not granted to others', async () => {
    const things = await api.model()
    const { name } = (await things.created()).metadata
    const ann = await person(api)
    const chief = await person(api, { roles: ['super-administrator'] })
    for (const request of verbRequests(things, name)) {
      const { method, path, options } = request
      expectProblem(await api.request(method, path, { ...options, as: 'anonymous' }), 401, 'Unauthenticated')
      expectProblem(await ann.request(method, path, options), 403, 'Forbidden')
      expect(isLetThrough(await statusOf(api, chief, request)), request.verb).toBe(true)
    }
  })

  test('S2.12-3 S2.12-4 a denial lists anonymous for an unauthenticated caller, and also authenticated for a signed-in user', async () => {
    const answer = await api.request('GET', '/api/v1alpha1/roles', { as: 'anonymous' })
    expect((answer.body as { detail: string }).detail).toContain('holds anonymous;')
    const ann = await person(api)
    const denied = await ann.request('GET', '/api/v1alpha1/roles')
    expect((denied.body as { detail: string }).detail).toMatch(/holds anonymous, authenticated$/)
  })

  describe('resource requests by path', () => {
    const rows: readonly (readonly [numbers: string, path: string, isResource: boolean])[] = [
      ['S5-4', '/api/v1alpha1', false],
      ['S5-4', '/api/v1alpha1/roles', true],
      ['S5-4', '/api/v1alpha1/roles/a', true],
      ['S5-4', '/api/v1alpha1/roles/a/b', true],
      ['S5-4', '/api/v1alpha1/roles/a/b/c', false],
      ['S5-5', '/apis/test.example.com', false],
      ['S5-5', '/apis/test.example.com/v1alpha1', false],
      ['S5-5', '/apis/test.example.com/v1alpha1/things', true],
      ['S5-5', '/apis/test.example.com/v1alpha1/things/a', true],
      ['S5-5', '/apis/test.example.com/v1alpha1/things/a/b', true],
      ['S5-5', '/apis/test.example.com/v1alpha1/things/a/b/c', false],
      ['S5-7', '/', false],
      ['S5-7', '/API/v1alpha1/roles', false],
      ['S5-7', '/apiss/test.example.com/v1alpha1/things', false],
      ['S5-7', '/openapi/v3', false],
      ['S5-7', '/somewhere/else', false],
    ]
    for (const [number, path, isResource] of rows) {
      test(`${number} ${path} is ${isResource ? 'a resource' : 'a non-resource'} request`, async () => {
        const ofPaths = await holder(api, [everyPath], '/nowhere')
        const ofResources = await holder(api, [everyResource], '/api/v1alpha1/roles?size=1')
        const here = { paths: await ofPaths.request('GET', path), resources: await ofResources.request('GET', path) }
        const through = { paths: isLetThrough(here.paths.status), resources: isLetThrough(here.resources.status) }
        // Every signed-in user may read this path, so both are allowed.
        const isOpen = path === '/openapi/v3'
        expect(through).toEqual({ paths: !isResource, resources: isResource || isOpen })
      })
    }
  })

  test('S5-6 a rule matches a resource request only if group, resource, name and verb all match', async () => {
    const things = await api.model()
    const { group, plural } = things.spec
    const { name } = (await things.created()).metadata
    const rule = { apiGroups: [group], resources: [plural], resourceNames: [name], verbs: ['get'] }
    const target = `${things.path}/${name}`
    await holder(api, [rule], target)
    const others = [
      { ...rule, apiGroups: ['other.example.com'] },
      { ...rule, resources: ['others'] },
      { ...rule, resourceNames: ['other'] },
      { ...rule, verbs: ['list'] },
    ]
    const probe = { nonResourceURLs: ['/probe'], verbs: ['get'] }
    const ann = await holder(api, [...others, probe], '/probe')
    expectProblem(await ann.request('GET', target), 403, 'Forbidden')
  })

  describe('verbs', () => {
    for (const [verb, number] of Object.entries(numbers)) {
      test(`${number} the verb ${verb} grants its own request and no other`, async () => {
        const things = await api.model()
        const { name } = (await things.created()).metadata
        const rules = [{ apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: [verb] }]
        const ann = await person(api, { roles: [await createRole(api, { rules })] })
        const requests = verbRequests(things, name)
        const own = requests.find((request) => request.verb === verb)
        if (!own) throw new Error(`${verb} has no request`)
        await expectSoon(async () => expect(isLetThrough(await statusOf(api, ann, own))).toBe(true))
        for (const other of requests) {
          if (other.verb === verb) continue
          const answer = await ann.request(other.method, other.path, other.options)
          expectProblem(answer, 403, 'Forbidden')
          expect(answer.text).toContain(`may not ${other.verb} ${things.spec.plural}`)
        }
      })
    }
  })

  test('S5-11 a WebSocket on an object or a collection requires the verb watch', async () => {
    const things = await api.model()
    const rules = [{ apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['get', 'list'] }]
    const ann = await holder(api, rules, things.path)
    const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    for (const path of [things.path, `${things.path}/a`]) {
      const answer = await ann.request('GET', path, { headers })
      expectProblem(answer, 403, 'Forbidden')
      expect(answer.text).toContain('may not watch')
    }
  })

  test('S5-16 HEAD is get on an object and list on a collection', async () => {
    const things = await api.model()
    const { name } = (await things.created()).metadata
    const rules = [{ apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['get'] }]
    const ann = await holder(api, rules, `${things.path}/${name}`)
    expectStatus(await ann.request('HEAD', `${things.path}/${name}`), 200)
    expectStatus(await ann.request('HEAD', things.path), 403)
  })

  test('C1-48 POST on the sub-resource of the name - is create, and - is an ordinary name for rules', async () => {
    const things = await api.model()
    const { group, plural } = things.spec
    const rule = { apiGroups: [group], resources: [`${plural}/stamps`], verbs: ['create'] }
    const ann = await holder(
      api,
      [{ ...rule, verbs: ['create', 'get'], resourceNames: ['-'] }],
      `${things.path}/-/stamps`,
    )
    expectStatus(await ann.request('POST', `${things.path}/-/stamps`, { body: {} }), 404)
    expectProblem(await ann.request('POST', `${things.path}/a/stamps`, { body: {} }), 403, 'Forbidden')
    expectProblem(await ann.request('POST', things.path, { body: {} }), 403, 'Forbidden')
  })

  describe('non-resource paths', () => {
    const stream: RequestOptions = { headers: { accept: 'text/event-stream' } }
    const rows: readonly (readonly [verb: string, method: string, options: RequestOptions])[] = [
      ['get', 'GET', {}],
      ['get', 'HEAD', {}],
      ['watch', 'GET', stream],
      ['create', 'POST', { body: {} }],
      ['update', 'PUT', { body: {} }],
      ['patch', 'PATCH', { body: {} }],
      ['delete', 'DELETE', {}],
    ]
    for (const [verb, method, options] of rows) {
      test(`C1-47 ${method}${options === stream ? ' of a stream' : ''} on a non-resource path is ${verb}`, async () => {
        const url = `/probes/${verb}`
        const probe = { nonResourceURLs: ['/probe'], verbs: ['get'] }
        const ann = await holder(api, [probe, { nonResourceURLs: [url], verbs: [verb] }], '/probe')
        expectStatus(await ann.request(method, url, options), 404)
        const verbs = ['get', 'watch', 'create', 'update', 'patch', 'delete', 'list'].filter((other) => other !== verb)
        const ben = await holder(api, [probe, { nonResourceURLs: [url], verbs }], '/probe')
        expectStatus(await ben.request(method, url, options), 403)
      })
    }
  })
})
