import { beforeAll, describe, expect, test } from 'vitest'
import { packedProject } from '../end-to-end/packed-source.ts'
import { person, type Person } from './people.ts'
import { enable, plugins } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'

const group = 'content.platform.run'
const all = `/apis/${group}/v1alpha1/posts`
const own = `/apis/uc.api.${group}/v1alpha1/posts`
const console = `/apis/console.api.${group}/v1alpha1/posts`
const open = `/apis/api.${group}/v1alpha1/posts`
const packed = once(async () => [await packedProject('plugins/content')])
const merge = { 'content-type': 'application/merge-patch+json' }

let count = 0

onEachEngine(
  (api) => {
    beforeAll(() => enable(api, 'content'))
    const people = once(async () => ({
      contributor: await person(api, { roles: ['contributor'] }),
      author: await person(api, { roles: ['author'] }),
      administrator: await person(api, { roles: ['post-administrator'] }),
    }))
    /** Creates a draft whose name is its slug. */
    const draft = async (who: Person) => {
      const name = `post-${++count}`
      const body = { metadata: { name }, spec: { title: `Post ${count}`, slug: name, body: 'as it was' } }
      expectStatus(await who.request('POST', own, { body }), 201)
      return name
    }
    const act = (who: Person, action: string) => who.request('POST', `${own}/${action}`)
    const edit = (who: Person, name: string) =>
      who.request('PATCH', `${own}/${name}`, { headers: merge, body: { spec: { body: 'as it became' } } })
    const stateOf = async (name: string) => {
      const { body } = await api.request('GET', `${all}/${name}`)
      return (body as { readonly status?: { readonly state: string } }).status?.state
    }
    const visit = (path: string) => api.request('GET', `${open}${path}`, { as: 'anonymous' })
    const slugsAt = async (path: string) => {
      const answer = await visit(path)
      expectStatus(answer, 200)
      const { items } = answer.body as { readonly items: readonly { readonly slug: string }[] }
      return items.map(({ slug }) => slug)
    }

    test('C1-42 posts are at content.platform.run, from a plugin that ships with the host', async () => {
      const { body } = await api.request('GET', `${plugins}/content`)
      expect(body).toMatchObject({ spec: { enabled: true, groups: [group] }, status: { phase: 'Started' } })
      const { body: list } = await api.request('GET', all)
      expect(list).toMatchObject({ apiVersion: `${group}/v1alpha1`, kind: 'PostList' })
    })

    test('S2.12-9 contributors submit posts, authors manage and publish their own, post administrators manage all', async () => {
      const { contributor, author, administrator } = await people()
      const submitted = await draft(contributor)
      expectStatus(await act(contributor, `${submitted}/submit`), 200)
      expectProblem(await act(contributor, `${submitted}/publish`), 403, 'Forbidden')
      expectProblem(await contributor.request('GET', `${all}/${submitted}`), 403, 'Forbidden')

      const published = await draft(author)
      expectStatus(await edit(author, published), 200)
      expectStatus(await act(author, `${published}/publish`), 200)
      expect(await stateOf(published)).toBe('published')
      expectProblem(await author.request('GET', all), 403, 'Forbidden')
      expectProblem(await author.request('POST', `${console}/${submitted}/publish`), 403, 'Forbidden')

      const { body } = await administrator.request('GET', `${all}?fieldSelector=status.state=submitted`)
      const [waiting] = (body as { readonly items: readonly { metadata: { name: string; version: number } }[] }).items
      expect(waiting?.metadata.name).toBe(submitted)
      const read = { version: waiting?.metadata.version }
      expectStatus(await administrator.request('POST', `${console}/${submitted}/publish`, { body: read }), 200)
      expect(await stateOf(submitted)).toBe('published')
      expectStatus(await administrator.request('POST', `${console}/${published}/withdraw`), 200)
      expectStatus(await administrator.request('DELETE', `${all}/${published}`), 200)
    })

    test("C8-360 submitting, withdrawing or publishing another user's post is 404", async () => {
      const { contributor, author } = await people()
      const name = await draft(contributor)
      for (const action of ['submit', 'withdraw', 'publish']) {
        expectProblem(await act(author, `${name}/${action}`), 404, 'NotFound')
      }
      expect(await stateOf(name)).toBeUndefined()
    })

    describe('publishing', () => {
      test('C8-355 a submitted or published post cannot be changed; withdrawing makes it a draft again', async () => {
        const { author } = await people()
        const name = await draft(author)
        for (const action of ['submit', 'publish']) {
          expectStatus(await act(author, `${name}/${action}`), 200)
          expectProblem(await edit(author, name), 422, 'Invalid')
          const whole = { spec: { title: 'Another', slug: name, body: '', owner: author.name } }
          expectProblem(await api.request('PUT', `${all}/${name}`, { body: whole }), 422, 'Invalid')
        }
        expectStatus(await act(author, `${name}/withdraw`), 200)
        expectStatus(await edit(author, name), 200)
        expect((await visit(`/${name}`)).status).toBe(404)
      })

      test('C8-356 a writer cannot publish a post by writing its status', async () => {
        const { contributor } = await people()
        const status = { state: 'published', publishedAt: '2030-01-01T00:00:00Z' }
        const name = `post-${++count}`
        const body = { metadata: { name }, spec: { title: 'Mine', slug: name }, status }
        expectStatus(await contributor.request('POST', own, { body }), 201)
        expectStatus(await contributor.request('PUT', `${own}/${name}`, { body: { ...body, metadata: {} } }), 200)
        expectStatus(await contributor.request('PATCH', `${own}/${name}`, { headers: merge, body: { status } }), 200)
        expectProblem(await contributor.request('PUT', `${own}/${name}/status`, { body: { status } }), 403, 'Forbidden')
        expectProblem(await contributor.request('PUT', `${all}/${name}/status`, { body: { status } }), 403, 'Forbidden')
        expect(await stateOf(name)).toBeUndefined()
      })

      test("C8-358 publishing another user's post requires the version that was read", async () => {
        const { contributor, administrator } = await people()
        const name = await draft(contributor)
        await act(contributor, `${name}/submit`)
        const publish = (version: number) =>
          administrator.request('POST', `${console}/${name}/publish`, { body: { version } })
        await act(contributor, `${name}/withdraw`)
        await edit(contributor, name)
        await act(contributor, `${name}/submit`)
        expectProblem(await publish(1), 412, 'PreconditionFailed')
        expect(await stateOf(name)).toBe('submitted')
        expectStatus(await publish(4), 200)
      })
    })

    test('C8-357 every visitor can read published posts, newest first, and no others', async () => {
      const { author } = await people()
      const [first, second, hidden] = [await draft(author), await draft(author), await draft(author)]
      for (const name of [first, second]) expectStatus(await act(author, `${name}/publish`), 200)
      await act(author, `${hidden}/submit`)
      const found = await slugsAt('?size=100')
      expect(found.slice(0, 2)).toEqual([second, first])
      expect(found).not.toContain(hidden)
      expect((await visit(`/${first}`)).body).toMatchObject({ slug: first, body: 'as it was' })
      expectProblem(await visit(`/${hidden}`), 404, 'NotFound')
      expectProblem(await api.request('GET', all, { as: 'anonymous' }), 401, 'Unauthenticated')
    })
  },
  { shipped: packed },
)
