import { expect, test } from 'vitest'
import { beforeExpiry, bind, core, createRole, expectSoon, person, type Person } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'
import { Refused } from './watching.ts'

const own = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
const all = '/apis/security.platform.run/v1alpha1/personalaccesstokens'
const rolesReader = { apiGroups: [''], resources: ['roles'], verbs: ['list'] }
const usersReader = { apiGroups: [''], resources: ['users'], verbs: ['list'] }

interface Token {
  readonly token: string
  readonly metadata: { readonly name: string; readonly uid: string }
}

onEachEngine((api) => {
  const make = async (who: Person, body: object = {}): Promise<Token> => {
    const answer = await who.request('POST', own, { body })
    expectStatus(answer, 201)
    return answer.body as Token
  }
  const status = async (token: string, path: string) => (await api.request('GET', path, { token })).status

  test('C7-40 C1-41 a token is shown once and authenticates as its owner until it is deleted', async () => {
    const ann = await person(api)
    const { token, metadata } = await make(ann, { description: 'for a script' })
    expect(token).toMatch(/^pgl_[\w-]{43}$/)
    expect(await status(token, '/apis')).toBe(200)
    const listed = await ann.request('GET', own)
    expect(listed.body).toMatchObject({ items: [{ metadata, spec: { owner: ann.name, description: 'for a script' } }] })
    expect(listed.text).not.toContain(token)
    expect((await api.request('GET', `${all}/${metadata.name}`)).text).not.toContain(token)
    expectStatus(await ann.request('DELETE', `${own}/${metadata.name}`), 200)
    await expectSoon(async () => expect(await status(token, '/apis')).toBe(401))
  })

  test('C7-41 a token stops working when it expires', async () => {
    const ann = await person(api)
    const token = await beforeExpiry(async (expiresAt) => {
      const { token: short } = await make(ann, { expiresAt })
      const { status: answered, text } = await api.request('GET', '/apis', { token: short })
      if (answered !== 200) throw new Refused(answered, text)
      return short
    })
    await expectSoon(async () => expect(await status(token, '/apis')).toBe(401))
    const expiresAt = new Date(Date.now() - 1).toISOString()
    expectProblem(await ann.request('POST', own, { body: { expiresAt } }), 422, 'Invalid')
  })

  test("C7-42 a token can be narrowed to some of its owner's roles, and to no others", async () => {
    const [reader, lister] = [
      await createRole(api, { rules: [rolesReader] }),
      await createRole(api, { rules: [usersReader] }),
    ]
    const ann = await person(api, { roles: [reader, lister] })
    await expectSoon(async () => expect(await status(ann.token, `${core}/users?size=1`)).toBe(200))
    const { token } = await make(ann, { roles: [reader] })
    expect(await status(token, `${core}/roles?size=1`)).toBe(200)
    expect(await status(token, `${core}/users?size=1`)).toBe(403)
    expectProblem(await ann.request('POST', own, { body: { roles: ['super-administrator'] } }), 422, 'Invalid')
  })

  test("C7-43 a personal access token cannot create tokens, change its owner's password or end sessions", async () => {
    const ann = await person(api)
    const { token } = await make(ann)
    const headers = { origin: api.origin() }
    const { body } = await ann.request('GET', '/auth/sessions')
    const [session] = (body as { items: { id: string }[] }).items
    const change = { current: 'correct horse battery', new: 'another horse' }
    expectProblem(await api.request('POST', own, { token, body: {} }), 403, 'Forbidden')
    expectProblem(await api.request('PUT', '/auth/password', { token, headers, body: change }), 403, 'Forbidden')
    expectProblem(await api.request('DELETE', `/auth/sessions/${session?.id}`, { token, headers }), 403, 'Forbidden')
  })

  test('C7-44 the owner of a token is always the caller', async () => {
    const [ann, ben] = [await person(api), await person(api)]
    expectProblem(await ann.request('POST', own, { body: { owner: ben.name } }), 422, 'Invalid')
    const body = { metadata: { name: 'forged' }, spec: { owner: ben.name } }
    expectProblem(await api.request('POST', all, { body }), 405, 'MethodNotAllowed')
    const { metadata } = await make(ann)
    expectProblem(await ben.request('DELETE', `${own}/${metadata.name}`), 404, 'NotFound')
    const path = `${all}/${metadata.name}`
    expectProblem(await api.request('PUT', path, { body: { spec: { owner: ben.name } } }), 422, 'Invalid')
  })

  test('C7-45 deleting a user deletes its tokens; disabling a user ends them', async () => {
    const [ann, ben] = [await person(api), await person(api)]
    const [annToken, benToken] = [await make(ann), await make(ben)]
    expectStatus(await api.request('DELETE', `${core}/users/${ann.name}`), 200)
    expectStatus(await api.request('PUT', `${core}/users/${ben.name}`, { body: { spec: { disabled: true } } }), 200)
    expectStatus(await api.request('GET', `${all}/${annToken.metadata.name}`), 404)
    for (const { token } of [annToken, benToken]) {
      await expectSoon(async () => expect(await status(token, '/apis')).toBe(401))
    }
  })

  test('C7-46 a narrowed token can grant only what the token itself holds', async () => {
    const editor = await createRole(api, { rules: [{ apiGroups: [''], resources: ['*'], verbs: ['*'] }] })
    const ann = await person(api)
    for (const role of [editor, 'super-administrator']) await bind(api, role, [ann.name])
    await expectSoon(async () => expect(await status(ann.token, `${core}/users?size=1`)).toBe(200))
    const { token } = await make(ann, { roles: [editor] })
    const body = { metadata: { generateName: 'role-' }, rules: [{ nonResourceURLs: ['*'], verbs: ['*'] }] }
    expectProblem(await api.request('POST', `${core}/roles`, { token, body }), 403, 'EscalationForbidden')
    expectStatus(await ann.request('POST', `${core}/roles`, { body }), 201)
  })
})
