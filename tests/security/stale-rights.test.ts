import { describe, expect, test } from 'vitest'
import { bind, core, createRole, expectSoon, person, roleOf, type Person } from '../conformance/people.ts'
import { expectStatus } from '../conformance/request.ts'
import { once, onEachEngine, type Api } from '../conformance/server.ts'

const rounds = 12
const superAdministrator = 'super-administrator'
const reads = { apiGroups: [''], resources: ['roles'], verbs: ['list'] }

onEachEngine((api) => {
  const path = `${core}/roles?size=1`
  /** On every replica: 200 now, and the other status soon after `take`. */
  async function expectLost(who: Person, status: number, take: () => Promise<void>): Promise<void> {
    const there = await api.replica()
    const everywhere = async (wanted: number) => {
      for (const replica of [api, there]) expectStatus(await replica.request('GET', path, { token: who.token }), wanted)
    }
    await expectSoon(() => everywhere(200))
    await take()
    await expectSoon(() => everywhere(status))
    // And do not come back.
    for (let times = 0; times < 20; times++) await everywhere(status)
  }
  const reader = async () => {
    const role = await createRole(api, { rules: [reads] })
    const ann = await person(api)
    return { role, ann, binding: await bind(api, role, [ann.name]) }
  }
  const done = async (method: string, target: string, body?: object) =>
    expectStatus(await api.request(method, `${core}/${target}`, { ...(body && { body }) }), 200)

  describe('rights that are taken away', () => {
    test('with the binding', async () => {
      const { ann, binding } = await reader()
      await expectLost(ann, 403, () => done('DELETE', `rolebindings/${binding}`))
    })
    test('with the place in a binding', async () => {
      const { role, ann, binding } = await reader()
      const { name } = await person(api)
      const body = { roleRef: { name: role }, subjects: [{ name }] }
      await expectLost(ann, 403, () => done('PUT', `rolebindings/${binding}`, body))
    })
    test('with the rule', async () => {
      const { role, ann } = await reader()
      await expectLost(ann, 403, () => done('PUT', `roles/${role}`, roleOf(role, {})))
    })
    test('with a role that was aggregated', async () => {
      const target = await createRole(api, {})
      const source = await createRole(api, { rules: [reads], aggregatesTo: [target] })
      const ann = await person(api, { roles: [target] })
      await expectLost(ann, 403, () => done('DELETE', `roles/${source}`))
    })
    test('with the account that is disabled', async () => {
      const { ann } = await reader()
      await expectLost(ann, 401, () => done('PUT', `users/${ann.name}`, { spec: { disabled: true } }))
    })
    test('with the account that is deleted, while it is in use', async () => {
      const { ann } = await reader()
      const busy = Array.from({ length: 4 }, async () => {
        for (let times = 0; times < 30; times++) await ann.request('GET', path)
      })
      await expectLost(ann, 401, () => done('DELETE', `users/${ann.name}`))
      await Promise.all(busy)
    })
    test('with the account that waits for a finalizer', async () => {
      const { ann } = await reader()
      await done('PUT', `users/${ann.name}`, { metadata: { finalizers: ['a.example/wait'] } })
      await expectLost(ann, 401, () => done('DELETE', `users/${ann.name}`))
    })
    test('with a binding that waits for a finalizer', async () => {
      const { role, ann, binding } = await reader()
      const body = {
        metadata: { finalizers: ['a.example/wait'] },
        roleRef: { name: role },
        subjects: [{ name: ann.name }],
      }
      await done('PUT', `rolebindings/${binding}`, body)
      await expectLost(ann, 403, () => done('DELETE', `rolebindings/${binding}`))
    })
    test('with the password, for everybody who had it', async () => {
      const { ann } = await reader()
      await expectLost(ann, 401, () => done('PUT', `users/${ann.name}/password`, { password: 'quite another one' }))
    })
    test('with the session', async () => {
      const { ann } = await reader()
      await expectLost(ann, 401, async () => {
        const headers = { origin: api.origin() }
        expectStatus(await ann.request('DELETE', '/auth/sessions/-', { headers }), 200)
      })
    })
  })

  describe('two administrators at once', () => {
    const bindingsOf = async (of: Api) => {
      const { body } = await of.request('GET', `${core}/rolebindings?fieldSelector=roleRef.name=${superAdministrator}`)
      return (body as { items: { metadata: { name: string }; subjects: { name: string }[] }[] }).items
    }
    /** May do everything without being one of them, so that somebody is there to look. */
    const watching = once(async () => {
      const everything = [
        { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
        { nonResourceURLs: ['*'], verbs: ['*'] },
      ]
      await bind(api, await createRole(api, { rules: everything }), ['admin'])
    })
    /** Exactly two, each by a binding of its own. */
    const twoOfThem = async () => {
      await watching()
      const pair = [await person(api), await person(api)] as const
      const bindings = [
        await bind(api, superAdministrator, [pair[0].name]),
        await bind(api, superAdministrator, [pair[1].name]),
      ] as const
      for (const { metadata } of await bindingsOf(api)) {
        if (!bindings.includes(metadata.name)) await done('DELETE', `rolebindings/${metadata.name}`)
      }
      for (const { token } of pair) {
        await expectSoon(async () => expectStatus(await api.request('GET', path, { token }), 200))
      }
      return { pair, bindings }
    }
    const ways: Readonly<Record<string, (user: string, binding: string) => readonly [string, string, object?]>> = {
      'delete each other': (user) => ['DELETE', `users/${user}`],
      'disable each other': (user) => ['PUT', `users/${user}`, { spec: { disabled: true } }],
      "delete each other's binding": (_, binding) => ['DELETE', `rolebindings/${binding}`],
      'delete all bindings': () => ['DELETE', `rolebindings?fieldSelector=roleRef.name=${superAdministrator}`],
    }
    for (const [what, wayOf] of Object.entries(ways)) {
      test(`${what}: one always stays`, async () => {
        const there = await api.replica()
        for (let round = 0; round < rounds; round++) {
          const { pair, bindings } = await twoOfThem()
          const act = (by: number, on: number, through: Pick<Api, 'request'>) => {
            const [method, target, body] = wayOf(pair[on]?.name ?? '', bindings[on] ?? '')
            const token = pair[by]?.token ?? ''
            return through.request(method, `${core}/${target}`, { token, ...(body && { body }) })
          }
          await Promise.all([act(0, 1, api), act(1, 0, there)])
          expect(await ableAdministrators(api, await bindingsOf(api))).toBeGreaterThan(0)
        }
      })
    }
  })
})

async function ableAdministrators(api: Api, bindings: readonly { subjects: { name: string }[] }[]): Promise<number> {
  let able = 0
  for (const { name } of bindings.flatMap(({ subjects }) => subjects)) {
    const { status, body } = await api.request('GET', `${core}/users/${name}`)
    if (status === 200 && !(body as { spec: { disabled: boolean } }).spec.disabled) able++
  }
  return able
}
