import { describe, expect, test } from 'vitest'
import { openBrowser } from './browser.ts'
import { bind, bindingOf, core, createRole, expectSoon, onlyAdministrator, person, type Person } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'
import { startTwoProviders, targetOf } from './two-providers.ts'

const { first, second, known, settings } = startTwoProviders()

onEachEngine((api) => {
  describe('roles from the claims of a provider', () => {
    test('C7-67 a user gets exactly the mapped roles, replaced at each login', async () => {
      const subject = known(first, { groups: ['writers', 'lost', 'post-administrator'] })
      const browser = openBrowser(api, subject)
      expectStatus(await browser.signIn('first'), 303)
      expect(await browser.roles()).toEqual(['author', 'contributor'])
      const bindings = `${core}/rolebindings?fieldSelector=subjects.name=${await browser.user()}`
      expect((await api.request('GET', bindings)).body).toMatchObject({ total: 2 })
      const says = async (groups: unknown, expected: readonly string[]) => {
        first.accounts.set(subject, { groups })
        expectStatus(await browser.signIn('first'), 303)
        await expectSoon(async () => expect(await browser.roles()).toEqual(expected))
      }
      await says('staff', ['visitor'])
      await says(['chiefs', 'staff'], ['super-administrator', 'visitor'])
      expectStatus(await browser.send(`${core}/users`), 200)
      await says(undefined, [])
      expectStatus(await browser.send(`${core}/users`), 403)
      await says([{ name: 'writers' }, 7, ['writers']], [])
    })
    test('C7-67 a nested claim is mapped too, and roles from other bindings are kept', async () => {
      const subject = known(second, { realm_access: { roles: ['writers'] } })
      const browser = openBrowser(api, subject)
      expectStatus(await browser.signIn('second'), 303)
      await bind(api, 'visitor', [await browser.user()])
      second.accounts.set(subject, {})
      expectStatus(await browser.signIn('second'), 303)
      await expectSoon(async () => expect(await browser.roles()).toEqual(['visitor']))
    })
    test('C7-67 the mapped roles take effect on every replica', async () => {
      const subject = known(first, { groups: ['chiefs'] })
      const browser = openBrowser(api, subject)
      const signedIn = await browser.signIn('first')
      const cookie = /pergola-session=[^;]+/.exec(String(signedIn.headers['set-cookie']))?.[0] ?? ''
      const there = await api.replica()
      const users = () => there.request('GET', `${core}/users?size=1`, { as: 'anonymous', headers: { cookie } })
      expectStatus(await users(), 200)
      first.accounts.set(subject, {})
      expectStatus(await browser.signIn('first'), 303)
      await expectSoon(async () => expectStatus(await users(), 403))
    })
  })

  describe('managed role bindings', () => {
    const managed = async () => {
      const browser = openBrowser(api, known(first, { groups: ['chiefs'] }))
      await browser.signIn('first')
      const name = await browser.user()
      const { body } = await api.request('GET', `${core}/rolebindings?fieldSelector=subjects.name=${name}`)
      const [binding] = (body as { items: { metadata: { name: string; labels: object; annotations: object } }[] }).items
      if (!binding) throw new Error('there is no binding')
      return { browser, name, binding: binding.metadata }
    }
    test('C7.1-1 a managed role binding cannot be changed but can be deleted', async () => {
      const { name, binding } = await managed()
      const path = `${core}/rolebindings/${binding.name}`
      const more = bindingOf('super-administrator', [name, (await person(api)).name], {})
      expectProblem(await api.request('PUT', path, { body: more }), 403, 'Forbidden')
      const unmarked = bindingOf('super-administrator', [name], {})
      expectProblem(await api.request('PUT', path, { body: unmarked }), 403, 'Forbidden')
      expectStatus(await api.request('DELETE', path), 200)
    })
    test('C7.1-1 a role binding that looks managed cannot be created', async () => {
      const { binding } = await managed()
      const { name } = await person(api)
      const { labels, annotations } = binding
      for (const metadata of [
        { generateName: 'binding-', labels },
        { generateName: 'binding-', annotations },
        { name: `oidc-${'a'.repeat(32)}` },
      ]) {
        const body = bindingOf('author', [name], metadata)
        expectProblem(await api.request('POST', `${core}/rolebindings`, { body }), 403, 'Forbidden')
      }
      const own = await bind(api, 'author', [name])
      const body = bindingOf('author', [name], { labels })
      expectProblem(await api.request('PUT', `${core}/rolebindings/${own}`, { body }), 403, 'Forbidden')
    })
    test('C7.1-2 a managed role binding does not count for the last super administrator', async () => {
      const { name, binding } = await managed()
      const last = await onlyAdministrator(api)
      expectProblem(await last.request('DELETE', `${core}/users/${last.name}`), 409, 'InUse')
      expectStatus(await last.request('DELETE', `${core}/rolebindings/${binding.name}`), 200)
      await last.restore()
      const other = await managed()
      expectStatus(await api.request('PUT', `${core}/users/${other.name}`, { body: { spec: { disabled: true } } }), 200)
      expectStatus(await api.request('DELETE', `${core}/users/${name}`), 200)
    })
  })

  describe('linking an identity', () => {
    const own = () => ({ origin: api.origin() })
    const secretReader = { apiGroups: ['secret.example.com'], resources: ['secrets'], verbs: ['get'] }
    const linker = async () => {
      const rules = [{ apiGroups: [''], resources: ['users', 'users/password', 'users/oidcidentities'], verbs: ['*'] }]
      return person(api, { roles: [await createRole(api, { rules })] })
    }
    const link = (who: Pick<Person, 'request'>, user: string, subject: string, provider = 'first') =>
      who.request('POST', `${core}/users/${user}/oidcidentities`, { body: { provider, subject } })

    test('C7-68 linking an identity to another user requires every right of that user', async () => {
      const eve = await linker()
      const strong = await person(api, { roles: [await createRole(api, { rules: [secretReader] })] })
      const weak = await person(api)
      const subject = known(second)
      await expectSoon(async () =>
        expectProblem(await link(eve, strong.name, subject, 'second'), 403, 'EscalationForbidden'),
      )
      expectStatus(await link(eve, weak.name, subject, 'second'), 201)
      expectProblem(await link(api, strong.name, subject, 'second'), 409, 'AlreadyExists')
      const browser = openBrowser(api, subject)
      expectStatus(await browser.signIn('second'), 303)
      expect(await browser.user()).toBe(weak.name)
    })
    test('C7-68 linking an identity requires every right that the provider can give', async () => {
      const eve = await linker()
      await expectSoon(async () => expectStatus(await eve.request('GET', `${core}/users?size=1`), 200))
      expectProblem(await link(eve, eve.name, 'the-chief'), 403, 'EscalationForbidden')
    })
    test('C7-68 linking an identity requires its own right, an existing user and an existing provider', async () => {
      const ann = await person(api)
      expectProblem(await link(ann, ann.name, 'x'), 403, 'Forbidden')
      expectProblem(await link(api, 'not-there', 'x'), 404, 'NotFound')
      const body = { provider: 'not-there', subject: 'x' }
      expectProblem(await api.request('POST', `${core}/users/${ann.name}/oidcidentities`, { body }), 404, 'NotFound')
    })
    test('C7-68 a link can be read, and removing it removes the roles that the provider gave', async () => {
      const { name } = await person(api)
      const subject = known(first, { groups: ['writers'] })
      expectStatus(await link(api, name, subject), 201)
      expectProblem(await link(api, name, known(first)), 409, 'AlreadyExists')
      const browser = openBrowser(api, subject)
      await browser.signIn('first')
      expect(await browser.roles()).toEqual(['author', 'contributor'])
      const path = `${core}/users/${name}/oidcidentities`
      const { body } = await api.request('GET', path)
      expect(body).toMatchObject({ items: [{ issuer: `${first.origin()}/`, subject }] })
      expectProblem(await api.request('DELETE', path), 400, 'BadRequest')
      expectStatus(await api.request('DELETE', `${path}?issuer=${encodeURIComponent(first.origin())}`), 200)
      await expectSoon(async () => expectStatus(await browser.send('/auth/sessions'), 401))
      const bindings = await api.request('GET', `${core}/rolebindings?fieldSelector=subjects.name=${name}`)
      expect(bindings.body).toMatchObject({ items: [] })
      expectStatus(await browser.signIn('first'), 303)
      expect(await browser.user()).not.toBe(name)
    })

    test('C2-205 linking and unlinking with dryRun return the identity and change nothing', async () => {
      const { name } = await person(api)
      const subject = known(first)
      const path = `${core}/users/${name}/oidcidentities`
      const identity = { issuer: `${first.origin()}/`, subject }
      const listed = async () => (await api.request('GET', path)).body
      const dry = await api.request('POST', `${path}?dryRun=true`, { body: { provider: 'first', subject } })
      expectStatus(dry, 201)
      expect(dry.body).toMatchObject({ ...identity, linkedAt: expect.any(String) as string })
      expect(await listed()).toEqual({ items: [] })
      expectStatus(await link(api, name, subject), 201)
      const browser = openBrowser(api, subject)
      await browser.signIn('first')
      const issuer = encodeURIComponent(first.origin())
      const unlinked = await api.request('DELETE', `${path}?issuer=${issuer}&dryRun=true`)
      expectStatus(unlinked, 200)
      expect(unlinked.body).toMatchObject(identity)
      expect(await listed()).toMatchObject({ items: [identity] })
      expectStatus(await browser.send('/auth/sessions'), 200)
    })

    test("C7-69 a user links an identity to itself from the server's own pages, in one session", async () => {
      const subject = known(second)
      const browser = openBrowser(api, subject)
      expectStatus(await browser.signIn('second'), 303)
      const name = await browser.user()
      first.accounts.set(subject, { groups: ['writers'] })
      const begin = (headers: Record<string, string>) => browser.send('/auth/oidc/first', { method: 'POST', headers })
      expectProblem(await begin({}), 403, 'CrossSite')
      expectProblem(await begin({ origin: 'https://evil.example' }), 403, 'CrossSite')
      const begun = await begin(own())
      expectStatus(begun, 201)
      const back = await browser.atProvider((begun.body as { url: string }).url)
      const linked = await browser.send(targetOf(back))
      expectStatus(linked, 303)
      expect(String(linked.headers['set-cookie'])).not.toContain('pergola-session')
      expect(await browser.roles()).toEqual(['author', 'contributor'])
      const other = openBrowser(api, subject)
      expectStatus(await other.signIn('first'), 303)
      expect(await other.user()).toBe(name)
    })
    test('C7-69 another session cannot complete the link, and an identity of another user is rejected', async () => {
      const mine = known(second)
      const browser = openBrowser(api, mine)
      await browser.signIn('second')
      first.accounts.set(mine, {})
      const begin = () => browser.send('/auth/oidc/first', { method: 'POST', headers: own() })
      const back = async () => targetOf(await browser.atProvider(((await begin()).body as { url: string }).url))
      const before = await back()
      await browser.send('/auth/sessions/-', { method: 'DELETE', headers: own() })
      expectProblem(await browser.send(before), 403, 'Forbidden')
      await browser.signIn('second')
      const begun = await begin()
      const planted = String(begun.headers['set-cookie']?.[0]).split(';')[0]
      const there = targetOf(await browser.atProvider((begun.body as { url: string }).url))
      const other = await openBrowser(api, known(second)).signIn('second')
      const victims = /pergola-session=[^;]+/.exec(String(other.headers['set-cookie']))?.[0]
      const headers = { cookie: `${planted}; ${victims}` }
      expectProblem(await api.request('GET', there, { as: 'anonymous', headers }), 403, 'Forbidden')
      await openBrowser(api, mine).signIn('first')
      await browser.signIn('second')
      expectProblem(await browser.send(await back()), 409, 'AlreadyExists')
      expectProblem(
        await openBrowser(api, mine).send('/auth/oidc/first', { method: 'POST', headers: own() }),
        401,
        'Unauthenticated',
      )
    })
  })

  describe('control over a user', () => {
    const helper = async () => {
      const rules = [{ apiGroups: [''], resources: ['users', 'users/password'], verbs: ['*'] }]
      return person(api, { roles: [await createRole(api, { rules })] })
    }
    const setPassword = (who: Person, name: string) =>
      who.request('PUT', `${core}/users/${name}/password`, { body: { password: 'known to eve' } })
    test('C7.1-4 control over a user requires the rights that its next login through a provider gives', async () => {
      const eve = await helper()
      const browser = openBrowser(api, known(first, { groups: ['chiefs'] }))
      await browser.signIn('first')
      const name = await browser.user()
      const { body } = await api.request('GET', `${core}/rolebindings?fieldSelector=subjects.name=${name}`)
      const { items } = body as { items: { metadata: { name: string } }[] }
      for (const { metadata } of items) await api.request('DELETE', `${core}/rolebindings/${metadata.name}`)
      await expectSoon(async () => expect(await browser.roles()).toEqual([]))
      expectProblem(await setPassword(eve, name), 403, 'EscalationForbidden')
    })
  })
}, settings)
