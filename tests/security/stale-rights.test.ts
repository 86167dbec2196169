import { describe, expect, test } from 'vitest'
import { bind, core, createRole, expectSoon, person, roleOf, type Person } from '../conformance/people.ts'
import { expectStatus } from '../conformance/request.ts'
import { once, onEachEngine, type Api } from '../conformance/server.ts'
import type { Watching } from '../conformance/watching.ts'

const rounds = 12
const superAdministrator = 'super-administrator'
const reads = { apiGroups: [''], resources: ['roles'], verbs: ['list', 'watch'] }

type Replica = Pick<Api, 'request' | 'watch'>

interface Following {
  readonly watching: Watching
  readonly shown: () => Promise<unknown>
}

interface Loss {
  readonly take: () => Promise<void>
  /** Starts before the right is revoked. */
  readonly follow: (of: Replica) => Promise<Following>
}

onEachEngine((api) => {
  const path = `${core}/roles?size=1`
  const status = async (of: Replica, { token }: Person) => (await of.request('GET', path, { token })).status
  /** Per replica: resolves when a watch of an administrator shows the next change of this object. */
  const changeOf = (target: string) => async (of: Replica) => {
    const [collection, name] = target.split('/')
    const { body } = await api.request('GET', `${core}/${target}`)
    const { version } = (body as { metadata: { version: number } }).metadata
    const watching = await of.watch(`${core}/${collection}`)
    const isShown = () =>
      watching.events.some(({ object }) => object?.metadata.name === name && Number(object?.metadata.version) > version)
    const shown = async () => {
      await expect.poll(isShown, { interval: 1 }).toBe(true)
    }
    return { watching, shown }
  }
  /** Per replica: resolves when the stream that was opened with the revoked credential has ended. */
  const endOfStream = (token: string) => async (of: Replica) => {
    const watching = await of.watch(`${core}/roles`, { token })
    return { watching, shown: () => watching.ended }
  }
  /** The request is allowed on every replica first. After a replica has shown the change, it rejects every request. */
  async function expectLost(who: Person, refused: number, { take, follow }: Loss): Promise<void> {
    using stack = new DisposableStack()
    const replicas: (Pick<Following, 'shown'> & { readonly of: Replica })[] = []
    for (const of of [api, await api.replica()]) {
      await expectSoon(async () => expect(await status(of, who)).toBe(200))
      const { watching, shown } = await follow(of)
      stack.use(watching)
      replicas.push({ of, shown })
    }
    await take()
    const refuses = async ({ of, shown }: (typeof replicas)[number]) => {
      await shown()
      for (let times = 0; times < 20; times++) expect(await status(of, who)).toBe(refused)
    }
    await Promise.all(replicas.map(refuses))
  }
  const reader = async () => {
    const role = await createRole(api, { rules: [reads] })
    const ann = await person(api)
    return { role, ann, binding: await bind(api, role, [ann.name]) }
  }
  const done = async (method: string, target: string, body?: object) =>
    expectStatus(await api.request(method, `${core}/${target}`, { ...(body && { body }) }), 200)
  const lossBy = (method: string, target: string, body?: object): Loss => ({
    take: () => done(method, target, body),
    follow: changeOf(target),
  })

  describe('rights are revoked on every replica', () => {
    test('when the binding is deleted', async () => {
      const { ann, binding } = await reader()
      await expectLost(ann, 403, lossBy('DELETE', `rolebindings/${binding}`))
    })
    test('when the user is removed from the binding', async () => {
      const { role, ann, binding } = await reader()
      const { name } = await person(api)
      const body = { roleRef: { name: role }, subjects: [{ name }] }
      await expectLost(ann, 403, lossBy('PUT', `rolebindings/${binding}`, body))
    })
    test('when the rule is removed', async () => {
      const { role, ann } = await reader()
      await expectLost(ann, 403, lossBy('PUT', `roles/${role}`, roleOf(role, {})))
    })
    test('when the aggregated role is deleted', async () => {
      const target = await createRole(api, {})
      const source = await createRole(api, { rules: [reads], aggregatesTo: [target] })
      const ann = await person(api, { roles: [target] })
      await expectLost(ann, 403, lossBy('DELETE', `roles/${source}`))
    })
    test('when the user is disabled', async () => {
      const { ann } = await reader()
      await expectLost(ann, 401, lossBy('PUT', `users/${ann.name}`, { spec: { disabled: true } }))
    })
    test('when the user is deleted while it sends requests', async () => {
      const { ann } = await reader()
      const busy = Array.from({ length: 4 }, async () => {
        for (let times = 0; times < 30; times++) await ann.request('GET', path)
      })
      await expectLost(ann, 401, lossBy('DELETE', `users/${ann.name}`))
      await Promise.all(busy)
    })
    test('when the user is deleted but kept by a finalizer', async () => {
      const { ann } = await reader()
      await done('PUT', `users/${ann.name}`, { metadata: { finalizers: ['a.example/wait'] } })
      await expectLost(ann, 401, lossBy('DELETE', `users/${ann.name}`))
    })
    test('when the binding is deleted but kept by a finalizer', async () => {
      const { role, ann, binding } = await reader()
      const body = {
        metadata: { finalizers: ['a.example/wait'] },
        roleRef: { name: role },
        subjects: [{ name: ann.name }],
      }
      await done('PUT', `rolebindings/${binding}`, body)
      await expectLost(ann, 403, lossBy('DELETE', `rolebindings/${binding}`))
    })
    test('when an administrator sets the password', async () => {
      const { ann } = await reader()
      await expectLost(ann, 401, {
        take: () => done('PUT', `users/${ann.name}/password`, { password: 'quite another one' }),
        follow: endOfStream(ann.token),
      })
    })
    test('when the session is ended', async () => {
      const { ann } = await reader()
      const headers = { origin: api.origin() }
      await expectLost(ann, 401, {
        take: async () => expectStatus(await ann.request('DELETE', '/auth/sessions/-', { headers }), 200),
        follow: endOfStream(ann.token),
      })
    })
  })

  describe('two super administrators act concurrently', () => {
    const bindingsOf = async (of: Api) => {
      const { body } = await of.request('GET', `${core}/rolebindings?fieldSelector=roleRef.name=${superAdministrator}`)
      return (body as { items: { metadata: { name: string }; subjects: { name: string }[] }[] }).items
    }
    /** `admin` keeps all rights through another role, so that the test can still read the bindings. */
    const watching = once(async () => {
      const everything = [
        { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
        { nonResourceURLs: ['*'], verbs: ['*'] },
      ]
      await bind(api, await createRole(api, { rules: everything }), ['admin'])
    })
    /** Exactly two super administrators, each with a separate binding. */
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
      test(`${what}: one remains`, async () => {
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
