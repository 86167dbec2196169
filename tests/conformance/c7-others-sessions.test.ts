import { expect, test } from 'vitest'
import { bind, core, createRole, login, person, expectSoon } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const all = '/apis/api.platform.run/v1alpha1/sessions'
const of = (name: string) => `${core}/users/${name}/sessions`

interface Listed {
  readonly items: readonly { readonly id: string; readonly username: string; readonly agent: string }[]
}

onEachEngine((api) => {
  const helper = async (rules: readonly object[]) => {
    const who = await person(api)
    await bind(api, await createRole(api, { rules }), [who.name])
    return who
  }
  const onUsers = (...verbs: readonly string[]) => ({ apiGroups: [''], resources: ['users/sessions'], verbs })

  test('C7-404 sessions of one user and of all users are listed, each with a right of its own', async () => {
    const ann = await person(api, { hasPassword: true })
    const agent = { 'user-agent': 'browser of ann' }
    expectStatus(await login(api, { username: ann.name }, agent), 201)
    const reader = await helper([onUsers('get')])
    const overseer = await helper([{ apiGroups: ['api.platform.run'], resources: ['sessions'], verbs: ['list'] }])
    await expectSoon(async () => expectStatus(await reader.request('GET', of(ann.name)), 200))
    const listed = (await reader.request('GET', of(ann.name))).body as Listed
    expect(listed.items.map(({ username }) => username)).toEqual([ann.name, ann.name])
    expect(listed.items[0]?.agent).toBe('browser of ann')
    expect(JSON.stringify(listed)).not.toContain(ann.token)
    expectProblem(await reader.request('GET', all), 403, 'Forbidden')
    expectProblem(await reader.request('DELETE', of(ann.name)), 403, 'Forbidden')
    expectProblem(await reader.request('GET', of('nobody-of-that-name')), 404, 'NotFound')

    await expectSoon(async () => expectStatus(await overseer.request('GET', all), 200))
    const everybody = (await overseer.request('GET', all)).body as Listed
    const names = new Set(everybody.items.map(({ username }) => username))
    expect([ann.name, reader.name, overseer.name].filter((name) => !names.has(name))).toEqual([])
    expectProblem(await overseer.request('GET', of(ann.name)), 403, 'Forbidden')
    expectProblem(await ann.request('GET', all), 403, 'Forbidden')
  })

  test('C7-404 C7-405 one session or all of a user end on every replica, and tokens are kept', async () => {
    const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
    const ann = await person(api, { hasPassword: true })
    const made = (await ann.request('POST', tokens, { body: {} })).body as { readonly token: string }
    const other = (await login(api, { username: ann.name, transport: 'token' })).body as Record<'id' | 'token', string>
    const there = await api.replica()
    const isIn = async (token: string) => (await there.request('GET', '/apis', { token })).status === 200
    expect(await isIn(other.token)).toBe(true)
    const ben = await helper([onUsers('delete')])
    await expectSoon(async () => expectStatus(await ben.request('DELETE', `${of(ann.name)}?dryRun=true`), 200))
    expect(await isIn(other.token)).toBe(true)

    const one = await ben.request('DELETE', `${of(ann.name)}?id=${other.id}`)
    expect(one.body).toEqual({ ended: 1 })
    await expectSoon(async () => expect(await isIn(other.token)).toBe(false))
    expect(await isIn(ann.token)).toBe(true)
    expectProblem(await ben.request('DELETE', `${of(ann.name)}?id=${other.id}`), 404, 'NotFound')
    const foreign = (await login(api, { username: 'admin' })).body as { readonly id?: string }
    expectProblem(await ben.request('DELETE', `${of(ann.name)}?id=${foreign.id ?? 'none'}`), 404, 'NotFound')

    expect((await ben.request('DELETE', of(ann.name))).body).toEqual({ ended: 1 })
    await expectSoon(async () => expect(await isIn(ann.token)).toBe(false))
    expect(await isIn(made.token)).toBe(true)
  })

  test('C7-405 nobody ends sessions of a user with more rights, and no token ends any', async () => {
    const strong = await person(api)
    await bind(api, 'super-administrator', [strong.name])
    const ben = await helper([onUsers('*'), onUsers('delete')])
    await expectSoon(async () => expectStatus(await ben.request('GET', of(strong.name)), 200))
    expectProblem(await ben.request('DELETE', of(strong.name)), 403, 'EscalationForbidden')
    expectStatus(await strong.request('GET', '/apis'), 200)
    const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
    const { token } = (await ben.request('POST', tokens, { body: {} })).body as { readonly token: string }
    const weak = await person(api)
    expectProblem(await api.request('DELETE', of(weak.name), { token }), 403, 'Forbidden')
    expectStatus(await weak.request('GET', '/apis'), 200)
  })
})
