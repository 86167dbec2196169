import { describe, expect, test } from 'vitest'
import { mergePatch, jsonPatch } from '../conformance/collection.ts'
import { bind, bindingOf, core, createRole, expectSoon, person, roleOf, type Person } from '../conformance/people.ts'
import { expectStatus, type Answer } from '../conformance/request.ts'
import { onEachEngine, once, type Api } from '../conformance/server.ts'
import { createEditor, createVault, expectClosed, type Vault } from './attack.ts'

const rbac = 'rbac.authorization.platform.run'
const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

interface Scene {
  readonly api: Api
  readonly eve: Person & { readonly role: string }
  readonly vault: Vault
}

/** Each entry is something a user who may edit roles, bindings and users could try in order to read the vault. */
const moves: Readonly<Record<string, (scene: Scene) => Promise<readonly Answer[]>>> = {
  'adding a rule to her own role': async ({ eve, vault }) => [
    await eve.request('PUT', `${core}/roles/${eve.role}`, { body: roleOf(eve.role, { rules: [vault.rule] }) }),
    await patch(eve, eve.role, { rules: [vault.rule] }),
    await eve.request('PATCH', `${core}/roles/${eve.role}`, {
      body: [{ op: 'add', path: '/rules/-', value: vault.rule }],
      headers: { 'content-type': jsonPatch },
    }),
  ],
  'adding a rule on everything to her own role': async ({ eve }) => {
    const wide = [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { apiGroups: ['*'], resources: ['*'], verbs: ['get'], resourceNames: names(1_000) },
      { apiGroups: names(100), resources: names(100), verbs: ['*'], resourceNames: names(100) },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ]
    return Promise.all(wide.map((rule) => patch(eve, eve.role, { rules: [rule] })))
  },
  'creating a role and binding it to herself': async ({ eve, vault }) => {
    const made = await eve.request('POST', `${core}/roles`, { body: roleOf('eve-own', { rules: [vault.rule] }) })
    return [made, await eve.request('POST', `${core}/rolebindings`, { body: bindingOf('eve-own', [eve.name]) })]
  },
  'making her own role depend on a stronger one': async ({ eve, vault }) => [
    await patch(eve, eve.role, annotated('dependencies', [vault.reader])),
    await patch(eve, eve.role, annotated('dependencies', ['super-administrator'])),
    await patch(eve, eve.role, annotated('dependencies', ['visitor', vault.reader, 'visitor'])),
  ],
  'making her own role depend on one that depends on a stronger one': async ({ api, eve, vault }) => {
    const between = await createRole(api, { dependencies: [vault.reader] })
    return [await patch(eve, eve.role, annotated('dependencies', [between]))]
  },
  'aggregating a stronger role to her own': async ({ eve, vault }) => [
    await patch(eve, vault.reader, labelled(eve.role)),
  ],
  'aggregating a stronger role to everybody': async ({ eve, vault }) => [
    await patch(eve, vault.reader, labelled('anonymous')),
    await patch(eve, vault.reader, labelled('authenticated')),
    await patch(eve, vault.reader, labelled('visitor')),
  ],
  'adding a rule to a role that everybody holds': async ({ eve, vault }) => [
    await patch(eve, 'anonymous', { rules: [vault.rule] }),
    await patch(eve, 'authenticated', { rules: [vault.rule] }),
    await patch(eve, 'anonymous', annotated('dependencies', [vault.reader])),
  ],
  'creating the role that a stronger one aggregates to': async ({ api, eve, vault }) => {
    await createRole(api, { rules: [vault.rule], aggregatesTo: ['eve-target'] })
    const made = await eve.request('POST', `${core}/roles`, { body: roleOf('eve-target', {}) })
    return [made, await eve.request('POST', `${core}/rolebindings`, { body: bindingOf('eve-target', [eve.name]) })]
  },
  'creating the missing role that her role depends on': async ({ api, eve, vault }) => {
    const role = await createRole(api, { dependencies: ['eve-named'] })
    await bind(api, role, [eve.name])
    return [await eve.request('POST', `${core}/roles`, { body: roleOf('eve-named', { rules: [vault.rule] }) })]
  },
  'creating the missing role between hers and a stronger one': async ({ api, eve, vault }) => {
    const role = await createRole(api, { dependencies: ['eve-between'] })
    await bind(api, role, [eve.name])
    const body = roleOf('eve-between', { dependencies: [vault.reader] })
    return [await eve.request('POST', `${core}/roles`, { body })]
  },
  'binding herself to a stronger role': async ({ eve, vault }) => [
    await eve.request('POST', `${core}/rolebindings`, { body: bindingOf(vault.reader, [eve.name]) }),
    await eve.request('POST', `${core}/rolebindings`, { body: bindingOf('super-administrator', [eve.name]) }),
  ],
  "adding herself to another user's binding": async ({ api, eve, vault }) => {
    const { name } = await person(api)
    const binding = await bind(api, vault.reader, [name])
    const path = `${core}/rolebindings/${binding}`
    const subjects = [{ name }, { name: eve.name }]
    return [
      await eve.request('PUT', path, { body: bindingOf(vault.reader, [name, eve.name], {}) }),
      await eve.request('PUT', path, { body: bindingOf(vault.reader, [eve.name], {}) }),
      await eve.request('PATCH', path, { body: { subjects }, headers: { 'content-type': mergePatch } }),
      await eve.request('PATCH', path, {
        body: [{ op: 'replace', path: '/subjects/0/name', value: eve.name }],
        headers: { 'content-type': jsonPatch },
      }),
    ]
  },
  'changing the role of her own binding': async ({ api, eve, vault }) => {
    const binding = await bind(api, 'visitor', [eve.name])
    return [
      await eve.request('PUT', `${core}/rolebindings/${binding}`, { body: bindingOf(vault.reader, [eve.name], {}) }),
    ]
  },
}

onEachEngine((api) => {
  const scene = once(async (): Promise<Scene> => ({ api, eve: await createEditor(api), vault: await createVault(api) }))

  describe('roles and bindings', () => {
    for (const [what, move] of Object.entries(moves)) {
      test(what, async () => {
        const { eve, vault } = await scene()
        const answers = await move({ api, eve, vault })
        for (const { status, text } of answers) expect([403, 422], text).toContain(status)
        await expectClosed(api, eve, vault)
      })
    }

    test('creating a rule and a binding concurrently', async () => {
      const { eve, vault } = await scene()
      for (let round = 0; round < 5; round++) {
        const name = `eve-race-${round}`
        expectStatus(await eve.request('POST', `${core}/roles`, { body: roleOf(name, {}) }), 201)
        await Promise.all([
          patch(eve, name, { rules: [vault.rule] }),
          patch(eve, vault.reader, labelled(name)),
          eve.request('POST', `${core}/rolebindings`, { body: bindingOf(name, [eve.name]) }),
        ])
      }
      await expectClosed(api, eve, vault)
    })

    test('two writes that escalate only together, sent concurrently to two replicas', async () => {
      const { eve, vault } = await scene()
      const there = await api.replica()
      for (let round = 0; round < 12; round++) {
        const name = `eve-half-${round}`
        await bind(api, await createRole(api, { dependencies: [name] }), [eve.name])
        const { token } = eve
        const halves = await Promise.all([
          patch(eve, vault.reader, labelled(name)),
          there.request('POST', `${core}/roles`, { body: roleOf(name, {}), token }),
        ])
        expect(halves.map(({ status }) => status).filter((status) => status < 300).length).toBeLessThan(2)
      }
      await expectClosed(api, eve, vault)
    })

    test('depending on a role that does not exist yet', async () => {
      const { eve } = await scene()
      const answers = [
        await patch(eve, eve.role, annotated('dependencies', ['still-to-come'])),
        await eve.request('POST', `${core}/roles`, {
          body: roleOf('eve-planted', { dependencies: ['still-to-come'] }),
        }),
      ]
      for (const answer of answers) expectStatus(answer, 403)
    })
  })

  describe('control over other users', () => {
    const signIn = (username: string, password: string) =>
      api.request('POST', '/auth/sessions', {
        body: { username, password, transport: 'token' },
        as: 'anonymous',
        headers: { origin: api.origin() },
      })

    test('setting the password of a disabled stronger user, and enabling the user', async () => {
      const { eve, vault } = await scene()
      const strong = await person(api, { roles: [vault.reader] })
      const path = `${core}/users/${strong.name}`
      expectStatus(await api.request('PUT', path, { body: { spec: { disabled: true } } }), 200)
      expectStatus(await eve.request('PUT', `${path}/password`, { body: { password: 'known to eve' } }), 403)
      expectStatus(await eve.request('PUT', path, { body: { spec: { disabled: false } } }), 403)
      expectStatus(await eve.request('PUT', path, { body: {} }), 403)
      expectStatus(await signIn(strong.name, 'known to eve'), 401)
    })

    test('setting the password of a user again after the user got stronger roles', async () => {
      const { eve, vault } = await scene()
      const weak = await person(api)
      const body = { password: 'known to eve' }
      expectStatus(await eve.request('PUT', `${core}/users/${weak.name}/password`, { body }), 200)
      await bind(api, vault.reader, [weak.name])
      expectStatus(await eve.request('PUT', `${core}/users/${weak.name}/password`, { body }), 403)
    })
  })

  describe('tokens', () => {
    const make = async (who: Person, body: object) => {
      const answer = await who.request('POST', tokens, { body })
      expectStatus(answer, 201)
      return answer.body as { readonly token: string; readonly metadata: { readonly name: string } }
    }

    test('creating a token for another owner', async () => {
      const [eve, strong] = [await person(api), await person(api, { roles: ['super-administrator'] })]
      for (const body of [{ owner: strong.name }, { spec: { owner: strong.name } }, { uid: strong.name }]) {
        expectStatus(await eve.request('POST', tokens, { body }), 422)
      }
      const all = '/apis/security.platform.run/v1alpha1/personalaccesstokens'
      const forged = { metadata: { name: 'forged' }, spec: { owner: strong.name } }
      expectStatus(await eve.request('POST', all, { body: forged }), 403)
      expectStatus(await strong.request('POST', all, { body: { ...forged, spec: { owner: eve.name } } }), 405)
      const { metadata } = await make(eve, {})
      const path = `${all}/${metadata.name}`
      expectStatus(await api.request('PUT', path, { body: { spec: { owner: strong.name } } }), 422)
    })

    test('using a narrowed token to create a wider one, set a password or grant a role', async () => {
      const editor = await createEditor(api)
      await bind(api, 'super-administrator', [editor.name])
      await expectSoon(async () =>
        expectStatus(await editor.request('POST', tokens, { body: { roles: ['visitor'] } }), 422),
      )
      const { token } = await make(editor, { roles: [editor.role] })
      const sent = (method: string, path: string, body: object) =>
        api.request(method, path, { token, body, headers: { origin: api.origin() } })
      expectStatus(await sent('POST', tokens, {}), 403)
      expectStatus(await sent('POST', tokens, { roles: ['super-administrator'] }), 403)
      expectStatus(await sent('PUT', `${core}/users/${editor.name}/password`, { password: 'known to eve' }), 403)
      expectStatus(await sent('PUT', '/auth/password', { current: 'correct horse battery', new: 'known to eve' }), 403)
      const binding = bindingOf('super-administrator', [(await person(api)).name])
      expectStatus(await sent('POST', `${core}/rolebindings`, binding), 403)
      const all = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
      expectStatus(await sent('POST', `${core}/roles`, roleOf('narrow-own', { rules: [all] })), 403)
    })

    test('creating a token with an invalid expiry time', async () => {
      const ann = await person(api)
      for (const expiresAt of ['2030-12-31T23:59:60Z', 'never', '']) {
        expectStatus(await ann.request('POST', tokens, { body: { expiresAt } }), 422)
      }
    })

    test('using a deleted token that a finalizer keeps', async () => {
      const ann = await person(api)
      const { token, metadata } = await make(ann, {})
      const path = `/apis/security.platform.run/v1alpha1/personalaccesstokens/${metadata.name}`
      const finalizers = ['a.example/keep']
      const headers = { 'content-type': mergePatch }
      expectStatus(await api.request('PATCH', path, { body: { metadata: { finalizers } }, headers }), 200)
      expectStatus(await ann.request('GET', '/apis', { token }), 200)
      expectStatus(await ann.request('DELETE', `${tokens}/${metadata.name}`), 200)
      await expectSoon(async () => expectStatus(await api.request('GET', '/apis', { token }), 401))
    })
  })

  describe('models', () => {
    test("redefining the host's own models", async () => {
      const models = '/apis/plugin.platform.run/v1alpha1/models'
      const rule = { apiGroups: ['plugin.platform.run'], resources: ['models'], verbs: ['*'] }
      const eve = await person(api, { roles: [await createRole(api, { rules: [rule] })] })
      await expectSoon(async () => expectStatus(await eve.request('GET', `${models}?size=1`), 200))
      const own = [
        ['', 'Role', 'role', 'roles'],
        ['security.platform.run', 'PersonalAccessToken', 'personalaccesstoken', 'personalaccesstokens'],
        ['plugin.platform.run', 'Model', 'model', 'models'],
      ]
      for (const [group, kind, singular, plural] of own) {
        const versions = [{ name: 'v1alpha1', schema: { properties: { rules: {} } } }]
        const body = { spec: { group, kind, singular, plural, versions } }
        const { status, text } = await eve.request('POST', models, { body })
        expect([403, 409, 422], text).toContain(status)
      }
      expectStatus(await api.request('GET', `${core}/roles/visitor`), 200)
      expectStatus(await eve.request('GET', `${core}/roles/visitor`), 403)
    })

    test('sending a body of another kind than the path', async () => {
      const { eve, vault } = await scene()
      const things = await api.model()
      const rule = { apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['*'] }
      const ann = await person(api, { roles: [await createRole(api, { rules: [rule] })] })
      const binding = { apiVersion: 'v1alpha1', kind: 'RoleBinding', ...bindingOf(vault.reader, [ann.name]) }
      await expectSoon(async () => expectStatus(await ann.request('POST', things.path, { body: binding }), 400))
      const role = { apiVersion: 'v1alpha1', kind: 'RoleBinding', ...bindingOf(vault.reader, [eve.name]) }
      expectStatus(await eve.request('POST', `${core}/roles`, { body: role }), 400)
      expectStatus(await ann.request('GET', vault.path), 403)
      await expectClosed(api, eve, vault)
    })
  })
})

function patch(who: Person, role: string, body: object): Promise<Answer> {
  return who.request('PATCH', `${core}/roles/${role}`, { body, headers: { 'content-type': mergePatch } })
}

function annotated(annotation: string, values: readonly string[]): object {
  return { metadata: { annotations: { [`${rbac}/${annotation}`]: JSON.stringify(values) } } }
}

function labelled(target: string): object {
  return { metadata: { labels: { [`${rbac}/aggregate-to-${target}`]: 'true' } } }
}

function names(length: number): readonly string[] {
  return Array.from({ length }, (_, at) => `n-${at}`)
}
