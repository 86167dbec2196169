import { describe, expect, test } from 'vitest'
import { bind, core, createRole, expectSoon, onlyAdministrator, person, roleOf, type Person } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine, type Api } from './server.ts'
import { isLetThrough, statusOf, verbRequests } from './verb-requests.ts'

const probe = { nonResourceURLs: ['/probe'], verbs: ['get'] }

/** Creates a user with these rules and waits until they are in effect. */
async function holder(api: Api, rules: readonly object[]): Promise<Person> {
  const who = await person(api, { roles: [await createRole(api, { rules: [...rules, probe] })] })
  await expectSoon(async () => expectStatus(await who.request('GET', '/probe'), 404))
  return who
}

onEachEngine((api) => {
  const through = async (who: Person, method: string, path: string) =>
    isLetThrough((await who.request(method, path, { ...(method !== 'GET' && { body: {} }) })).status)

  describe('credentials', () => {
    test('C7-90 wrong credentials are 401, even where none are required, except for plain health requests', async () => {
      expectStatus(await api.request('GET', '/readyz?verbose', { as: 'anonymous' }), 200)
      for (const authorization of ['Bearer pgl_nobody', 'Bearer pgs_nobody', 'Bearer', 'Basic YTpi', 'x']) {
        const answer = await api.request('GET', '/readyz?verbose', { as: 'anonymous', headers: { authorization } })
        expectProblem(answer, 401, 'Unauthenticated')
      }
      for (const path of ['/livez', '/readyz']) {
        const given = { authorization: 'Bearer pgl_nobody' }
        expectStatus(await api.request('GET', path, { as: 'anonymous', headers: given }), 200)
      }
      const headers = { cookie: 'pergola-session=pgs_nobody' }
      expectProblem(await api.request('GET', '/readyz?verbose', { as: 'anonymous', headers }), 401, 'Unauthenticated')
    })
    test('C9-212 /readyz?verbose shows details only to callers whose roles allow get on /readyz/verbose', async () => {
      const operator = await holder(api, [{ nonResourceURLs: ['/readyz/verbose'], verbs: ['get'] }])
      const user = await holder(api, [])
      expect((await operator.request('GET', '/readyz?verbose')).text).toMatch(/^\[ok\] {5}database {4}\S/m)
      const plain = (await api.request('GET', '/readyz?verbose', { as: 'anonymous' })).text
      expect(plain).toMatch(/^\[ok\] {5}database$/m)
      expect((await user.request('GET', '/readyz?verbose')).text).toBe(plain)
    })
    test('C7-91 credentials in a URL are never accepted', async () => {
      const { token } = await person(api, { roles: ['super-administrator'] })
      for (const name of ['token', 'access_token', 'authorization', 'session', 'pergola-session', 'api_key']) {
        for (const value of [token, `Bearer ${token}`]) {
          const path = `${core}/users?${name}=${encodeURIComponent(value)}`
          expectProblem(await api.request('GET', path, { as: 'anonymous' }), 401, 'Unauthenticated')
        }
      }
    })
  })

  describe('a rule on resources', () => {
    test('C7-92 the resource * covers sub-resources', async () => {
      const ann = await holder(api, [{ apiGroups: [''], resources: ['*'], verbs: ['get', 'update'] }])
      expect(await through(ann, 'GET', `${core}/roles/visitor`)).toBe(true)
      expect(await through(ann, 'PUT', `${core}/users/nobody/password`)).toBe(true)
    })
    test('C7-93 C2-93 a rule on a plural grants no sub-resource, and the reverse', async () => {
      const things = await api.model({ statusSubresource: true })
      const { name } = (await things.created()).metadata
      const rule = { apiGroups: [things.spec.group], verbs: ['update', 'get'] }
      const [object, status] = [`${things.path}/${name}`, `${things.path}/${name}/status`]
      const ann = await holder(api, [{ ...rule, resources: [things.spec.plural] }])
      expect([await through(ann, 'PUT', object), await through(ann, 'PUT', status)]).toEqual([true, false])
      const ben = await holder(api, [{ ...rule, resources: [`${things.spec.plural}/status`] }])
      expect([await through(ben, 'PUT', object), await through(ben, 'PUT', status)]).toEqual([false, true])
    })
    test('C7-94 S2.9-3 a rule on group * applies in every group, a rule on one group only there', async () => {
      const things = await api.model()
      const ann = await holder(api, [{ apiGroups: ['*'], resources: ['roles', things.spec.plural], verbs: ['list'] }])
      for (const path of [`${core}/roles?size=1`, things.path]) expectStatus(await ann.request('GET', path), 200)
      const ben = await holder(api, [{ apiGroups: [''], resources: [things.spec.plural], verbs: ['list'] }])
      expectStatus(await ben.request('GET', things.path), 403)
    })
    test('C7-95 a rule with resourceNames matches only requests whose path contains one of them, for every verb', async () => {
      const things = await api.model()
      const [named, other] = [(await things.created()).metadata.name, (await things.created()).metadata.name]
      const rule = { apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['*'] }
      const ann = await holder(api, [{ ...rule, resourceNames: [named, 'and-another'] }])
      const withoutName = new Set(['create', 'list', 'watch', 'deletecollection'])
      for (const request of verbRequests(things, named)) {
        const isNamed = !withoutName.has(request.verb)
        expect(isLetThrough(await statusOf(api, ann, request)), request.verb).toBe(isNamed)
      }
      for (const request of verbRequests(things, other)) expect(await statusOf(api, ann, request)).toBe(403)
    })
    for (const [what, names] of [
      ['without resourceNames', {}],
      ['with empty resourceNames', { resourceNames: [] }],
    ] as const) {
      test(`S2.9-6 S2.9-8 a rule ${what} and with verb * covers every object and verb`, async () => {
        const things = await api.model()
        const { name } = (await things.created()).metadata
        const rule = { apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['*'], ...names }
        const ann = await holder(api, [rule])
        for (const request of verbRequests(things, name)) {
          expect(isLetThrough(await statusOf(api, ann, request)), request.verb).toBe(true)
        }
      })
    }
  })

  describe('a non-resource rule', () => {
    const rows: readonly (readonly [url: string, path: string, covers: boolean])[] = [
      ['/a/b', '/a/b', true],
      ['/a/b', '/a', false],
      ['/a/b', '/a/b/c', false],
      ['/a/b', '/a/bc', false],
      ['/a/*', '/a/b', true],
      ['/a/*', '/a/b/c/d', true],
      ['/a/*', '/a', false],
      ['/a/*', '/ab', false],
      ['/a/*', '/b/a/c', false],
      ['*', '/', true],
      ['*', '/any/where', true],
      ['/*', '/any/where', true],
      ['/apis/*', '/apis/test.example.com', true],
      ['/apis/*', '/apis/test.example.com/v1alpha1/things', false],
      ['*', `${core}/users`, false],
    ]
    for (const [url, path, covers] of rows) {
      test(`C7-97 nonResourceURLs ${url} ${covers ? 'covers' : 'does not cover'} ${path}`, async () => {
        const ann = await holder(api, [{ nonResourceURLs: [url], verbs: ['get'] }])
        expect(await through(ann, 'GET', path)).toBe(covers)
      })
    }
  })

  describe('invalid rules', () => {
    const rule = { apiGroups: [''], resources: ['roles'], verbs: ['get'] }
    const rows: readonly (readonly [what: string, rule: object])[] = [
      ['without verbs', { ...rule, verbs: [] }],
      ['with missing verbs', { apiGroups: [''], resources: ['roles'] }],
      ['with an unknown verb', { ...rule, verbs: ['impersonate'] }],
      ['with an uppercase verb', { ...rule, verbs: ['GET'] }],
      ['of both kinds', { ...rule, nonResourceURLs: ['/a'] }],
      ['of neither kind', { verbs: ['get'] }],
      ['with an unknown field', { ...rule, effect: 'deny' }],
      ['with a star inside a group', { ...rule, apiGroups: ['*.example.com'] }],
      ['with a star inside a resource', { ...rule, resources: ['role*'] }],
      ['with a star for a sub-resource', { ...rule, resources: ['roles/*'] }],
      ['with a star for a name', { ...rule, resourceNames: ['*'] }],
      ['with a star inside a verb', { ...rule, verbs: ['delete*'] }],
      ['with a star inside a path', { nonResourceURLs: ['/a/*/b'], verbs: ['get'] }],
      ['with a star at the end of a segment', { nonResourceURLs: ['/a*'], verbs: ['get'] }],
      ['with a path that does not start with a slash', { nonResourceURLs: ['a/b'], verbs: ['get'] }],
    ]
    for (const [what, given] of rows) {
      test(`C7-98 a rule ${what} is 422`, async () => {
        const answer = await api.request('POST', `${core}/roles`, { body: roleOf('c798-role', { rules: [given] }) })
        expectProblem(answer, 422, 'Invalid')
      })
    }
  })

  test('C7-99 roles with cyclic dependencies and aggregation have all their combined rights', async () => {
    const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['list'] })
    const ring = ['c799-a', 'c799-b', 'c799-c']
    const parts = [
      { rules: [rule('roles')], dependencies: ['c799-b', 'c799-a'] },
      { rules: [rule('users')], dependencies: ['c799-c'], aggregatesTo: ['c799-c'] },
      { rules: [rule('rolebindings')], aggregatesTo: ['c799-b'], dependencies: ['c799-a'] },
    ]
    for (const [at, name] of ring.entries()) {
      expectStatus(await api.request('POST', `${core}/roles`, { body: roleOf(name, parts[at] ?? {}) }), 201)
    }
    for (const name of ring) {
      const ann = await person(api, { roles: [name] })
      await expectSoon(async () => {
        for (const plural of ['roles', 'users', 'rolebindings']) {
          expectStatus(await ann.request('GET', `${core}/${plural}?size=1`), 200)
        }
      })
    }
  })

  test('C7-107 the status of a role lists missing dependencies while they are missing', async () => {
    const body = roleOf('c7107-role', { dependencies: ['c7107-later', 'visitor', 'c7107-never'] })
    const own = `${core}/roles/c7107-role`
    const forged = { missingDependencies: ['forged'] }
    expectStatus(await api.request('POST', `${core}/roles`, { body: { ...body, status: forged } }), 201)
    const statusIs = (missing: readonly string[] | undefined) =>
      expectSoon(async () => {
        const { status } = (await api.request('GET', own)).body as { status?: { missingDependencies: string[] } }
        expect(status?.missingDependencies).toEqual(missing)
      })
    await statusIs(['c7107-later', 'c7107-never'])
    expectStatus(await api.request('PUT', own, { body: { ...body, status: forged } }), 200)
    expectStatus(await api.request('POST', `${core}/roles`, { body: roleOf('c7107-later', {}) }), 201)
    await statusIs(['c7107-never'])
    expectStatus(await api.request('DELETE', `${core}/roles/c7107-later`), 200)
    await statusIs(['c7107-later', 'c7107-never'])
    expectStatus(await api.request('PUT', own, { body: roleOf('c7107-role', {}) }), 200)
    await statusIs(undefined)
    expectStatus(await api.request('PUT', `${own}/status`, { body }), 404)
  })

  describe('rights of visitors and signed-in users', () => {
    const rows: readonly (readonly [who: 'everyone' | 'any user' | 'nobody', method: string, path: string])[] = [
      ['everyone', 'GET', '/livez'],
      ['everyone', 'GET', '/readyz'],
      ['everyone', 'POST', '/auth/sessions'],
      ['everyone', 'POST', '/auth/setup'],
      ['any user', 'GET', '/apis'],
      ['any user', 'GET', '/openapi'],
      ['any user', 'GET', '/openapi/v3'],
      ['any user', 'GET', '/auth/sessions'],
      ['any user', 'DELETE', '/auth/sessions/nobody'],
      ['any user', 'PUT', '/auth/password'],
      ['any user', 'GET', '/apis/api.platform.run/v1alpha1/users/-/permissions'],
      ['any user', 'POST', '/apis/api.platform.run/v1alpha1/accessreviews'],
      ['any user', 'GET', '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'],
      ['any user', 'DELETE', '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens/a'],
      ['nobody', 'GET', '/apis/api.platform.run/v1alpha1/users/somebody/permissions'],
      ['nobody', 'POST', '/apis/api.platform.run/v1alpha1/whocan'],
      ['nobody', 'GET', '/apis/security.platform.run/v1alpha1/personalaccesstokens'],
      ['nobody', 'GET', '/apis/plugin.platform.run/v1alpha1/models'],
      ['nobody', 'GET', '/apis/anything'],
      ['nobody', 'GET', '/apis/anything/v1alpha1'],
      ['nobody', 'GET', '/apis/anything/v1alpha1/things'],
      ['nobody', 'GET', `${core}/users`],
      ['nobody', 'GET', `${core}/roles`],
      ['nobody', 'GET', `${core}/users/somebody/sessions`],
      ['nobody', 'DELETE', `${core}/users/somebody/sessions`],
      ['nobody', 'GET', '/apis/api.platform.run/v1alpha1/sessions'],
      ['nobody', 'GET', '/'],
      ['nobody', 'GET', '/livez/more'],
    ]
    for (const [who, method, path] of rows) {
      test(`C7-100 ${who} may ${method} ${path}`, async () => {
        const headers = { origin: api.origin() }
        const options = { headers, ...(method !== 'GET' && { body: {} }) }
        const visitor = await api.request(method, path, { ...options, as: 'anonymous' })
        const ann = await person(api)
        const signedIn = await ann.request(method, path, options)
        expect([isLetThrough(visitor.status), isLetThrough(signedIn.status)]).toEqual([
          who === 'everyone',
          who !== 'nobody',
        ])
      })
    }
  })

  test('C7.1-4 control over a disabled user requires the rights that it would regain when enabled', async () => {
    const rules = [{ apiGroups: [''], resources: ['users', 'users/password'], verbs: ['*'] }]
    const eve = await holder(api, rules)
    const strong = await person(api)
    await bind(api, 'super-administrator', [strong.name])
    const path = `${core}/users/${strong.name}`
    expectStatus(await api.request('PUT', path, { body: { spec: { disabled: true } } }), 200)
    const reset = await eve.request('PUT', `${path}/password`, { body: { password: 'known to eve' } })
    expectProblem(reset, 403, 'EscalationForbidden')
    const back = await eve.request('PUT', path, { body: { spec: { disabled: false } } })
    expectProblem(back, 403, 'EscalationForbidden')
    expectProblem(await eve.request('DELETE', path), 403, 'EscalationForbidden')
  })

  test('C7-102 a binding that is being deleted does not keep its subject a super administrator', async () => {
    const ann = await person(api)
    const held = {
      metadata: { name: 'c7102-held', finalizers: ['a.example/wait'] },
      roleRef: { name: 'super-administrator' },
      subjects: [{ name: ann.name }],
    }
    const ben = await onlyAdministrator(api)
    expectStatus(await ben.request('POST', `${core}/rolebindings`, { body: held }), 201)
    expectStatus(await ben.request('DELETE', `${core}/rolebindings/c7102-held`), 200)
    expectProblem(await ben.request('DELETE', `${core}/rolebindings/${ben.binding}`), 409, 'InUse')
    expectProblem(await ben.request('DELETE', `${core}/users/${ben.name}`), 409, 'InUse')
    await ben.restore()
  })

  test('C7-106 only a super administrator can make a role depend on a role that does not exist', async () => {
    const editor = await createRole(api, { rules: [{ apiGroups: [''], resources: ['roles'], verbs: ['*'] }] })
    const ann = await person(api, { roles: [editor] })
    await expectSoon(async () => expectStatus(await ann.request('GET', `${core}/roles?size=1`), 200))
    const body = roleOf('c7106', { dependencies: ['c7106-missing'] })
    const refused = await ann.request('POST', `${core}/roles`, { body })
    expectProblem(refused, 403, 'EscalationForbidden')
    expect((refused.body as { detail: string }).detail).toContain('"c7106-missing"')
    expectStatus(await api.request('POST', `${core}/roles`, { body }), 201)
    // A missing dependency that is already stored may stay.
    expectStatus(await ann.request('PUT', `${core}/roles/c7106`, { body }), 200)
  })

  test('C7-108 removing the last finalizer is a deletion: a bound role is 409 InUse', async () => {
    const name = 'c7108'
    const held = { ...roleOf(name, {}), metadata: { name, finalizers: ['a.example/wait'] } }
    expectStatus(await api.request('POST', `${core}/roles`, { body: held }), 201)
    expectStatus(await api.request('DELETE', `${core}/roles/${name}`), 200)
    const { name: user } = await person(api)
    await bind(api, name, [user])
    const release = () => api.request('PUT', `${core}/roles/${name}`, { body: roleOf(name, {}) })
    expectProblem(await release(), 409, 'InUse')
    expectStatus(await api.request('DELETE', `${core}/users/${user}`), 200)
    expectStatus(await release(), 200)
    expectStatus(await api.request('GET', `${core}/roles/${name}`), 404)
  })

  test('C7-103 a token cannot be narrowed to an empty list of roles', async () => {
    const ann = await person(api, { roles: ['super-administrator'] })
    const path = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
    expectStatus(await ann.request('POST', path, { body: { roles: [] } }), 422)
  })

  test('C7-43 a personal access token cannot set the password of its owner or of another user', async () => {
    const [ann, ben] = [await person(api, { roles: ['super-administrator'] }), await person(api)]
    const made = await ann.request('POST', '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens', { body: {} })
    expectStatus(made, 201)
    const { token } = made.body as { token: string }
    for (const { name } of [ann, ben]) {
      const answer = await api.request('PUT', `${core}/users/${name}/password`, {
        token,
        body: { password: 'known to the token' },
      })
      expectProblem(answer, 403, 'Forbidden')
    }
    const body = { password: 'known to ann' }
    expectStatus(await ann.request('PUT', `${core}/users/${ben.name}/password`, { body }), 200)
  })

  test('C7-105 a finalizer on a binding does not prevent the deletion of its subject', async () => {
    const ann = await person(api)
    const metadata = { name: 'c7105-held', finalizers: ['a.example/wait'] }
    const body = { metadata, roleRef: { name: 'author' }, subjects: [{ name: ann.name }] }
    expectStatus(await api.request('POST', `${core}/rolebindings`, { body }), 201)
    expectStatus(await api.request('DELETE', `${core}/users/${ann.name}`), 200)
    expect((await api.request('GET', `${core}/rolebindings/c7105-held`)).body).toMatchObject({ subjects: [] })
  })

  test('C5-30 a denied caller with credentials gets the same 403 whether or not the object exists', async () => {
    const things = await api.model()
    const { name } = (await things.created()).metadata
    const ann = await person(api)
    const denied = async (target: string) => {
      const answer = await ann.request('GET', `${things.path}/${target}`)
      expectProblem(answer, 403, 'Forbidden')
      return (answer.body as { detail: string }).detail
    }
    const said = await denied(name)
    expect(said).toContain(`may not get ${things.spec.plural} "${name}" in ${things.spec.group}`)
    expect((await denied('nobody')).replace('nobody', name)).toBe(said)
  })

  test('C3-77 a cursor grants no access without the right to list', async () => {
    const things = await api.model()
    for (let count = 0; count < 3; count++) await things.created()
    const { continue: cursor = '' } = await things.listed({ size: '1' })
    const path = `${things.path}?continue=${encodeURIComponent(cursor)}`
    expectStatus(await api.request('GET', path), 200)
    const ann = await person(api)
    expectProblem(await ann.request('GET', path), 403, 'Forbidden')
    expectProblem(await api.request('GET', path, { as: 'anonymous' }), 401, 'Unauthenticated')
  })

  test('C4-45 a duplicate names the holder only to callers that may get the holder', async () => {
    const things = await api.model()
    const { group, plural } = things.spec
    await things.created({ name: 'the-secret-holder', spec: { code: 'taken' } })
    const rule = { apiGroups: [group], resources: [plural], verbs: ['create'] }
    const body = { metadata: { name: 'another' }, spec: { city: 'Rome', code: 'taken' } }
    const sent = async (who: Person) => {
      const answer = await who.request('POST', things.path, { body })
      expectProblem(answer, 409, 'DuplicateIndexValue')
      return answer.text
    }
    expect(await sent(await holder(api, [rule]))).not.toContain('the-secret-holder')
    const named = { ...rule, verbs: ['get'], resourceNames: ['the-secret-holder'] }
    expect(await sent(await holder(api, [rule, named]))).toContain('the-secret-holder')
  })

  describe('each field of a rule is an array of strings', () => {
    const resource = { apiGroups: [''], resources: ['roles'], resourceNames: ['a'], verbs: ['get'] }
    const path = { nonResourceURLs: ['/a'], verbs: ['get'] }
    const rows = [
      ['S2.9-1', resource],
      ['S2.9-2', path],
    ] as const
    for (const [number, sound] of rows) {
      for (const field of Object.keys(sound)) {
        test(`${number} ${field} is an array of strings`, async () => {
          const create = (rule: object) =>
            api.request('POST', `${core}/roles?dryRun=true`, { body: roleOf('s29-role', { rules: [rule] }) })
          expectStatus(await create(sound), 201)
          for (const wrong of ['get', '*', 7, null, {}, [7], [null], [['get']]]) {
            expectProblem(await create({ ...sound, [field]: wrong }), 422, 'Invalid')
          }
        })
      }
    }
  })

  test('S2.9-7 a rule accepts each of the eight verbs and rejects any other', async () => {
    const create = (verb: string) =>
      api.request('POST', `${core}/roles?dryRun=true`, {
        body: roleOf('s297-role', { rules: [{ apiGroups: [''], resources: ['roles'], verbs: [verb] }] }),
      })
    for (const verb of ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch', '*']) {
      expectStatus(await create(verb), 201)
    }
    for (const verb of ['read', 'write', 'head', 'post', 'put', 'bind', 'escalate', '']) {
      expectProblem(await create(verb), 422, 'Invalid')
    }
  })
})
