import { expect, test } from 'vitest'
import { thing, type List } from './collection.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const named = ['name', 'uid', 'version']

onEachEngine((api) => {
  const stored = async () => {
    const things = await api.model()
    const home = { street: 'Long Lane', number: 7 }
    const body = thing({
      name: 'one',
      metadata: { labels: { a: 'b' } },
      spec: { city: 'Bath', note: 'long', home, extra: { any: { at: 1, all: 2 } } },
    })
    expectStatus(await api.request('POST', things.path, { body }), 201)
    return things.path
  }

  test('C1-57 C1-58 get with fields answers only those paths and what names the object', async () => {
    const path = await stored()
    const { body } = await api.request('GET', `${path}/one?fields=spec.city,spec.home.number,spec.extra.any.at`)
    const { metadata, ...rest } = body as { readonly metadata: object }
    expect(Object.keys(metadata).toSorted()).toEqual(named)
    expect(rest).toEqual({
      apiVersion: 'test.example.com/v1alpha1',
      kind: expect.any(String) as string,
      spec: { city: 'Bath', home: { number: 7 }, extra: { any: { at: 1 } } },
    })
    const { body: labelled } = await api.request('GET', `${path}/one?fields=metadata.labels&fields=spec.note`)
    expect(labelled).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { note: 'long' } })
    expect((labelled as { readonly spec: object }).spec).not.toHaveProperty('city')
  })

  test('C1-57 C1-61 list with fields answers only those paths, page by page', async () => {
    const path = await stored()
    expectStatus(
      await api.request('POST', path, { body: thing({ name: 'two', spec: { city: 'Ely', note: 'x' } }) }),
      201,
    )
    const first = await api.request('GET', `${path}?fields=spec.city&size=1&sort=spec.city`)
    const { continue: next, items } = first.body as List
    expect(items.map(({ spec }) => spec)).toEqual([{ city: 'Bath' }])
    const second = await api.request('GET', `${path}?continue=${next}`)
    expect((second.body as List).items.map(({ spec }) => spec)).toEqual([{ city: 'Ely' }])
    const all = await api.request('GET', `${path}?fields=metadata.name`)
    for (const item of (all.body as List).items) {
      expect(item).not.toHaveProperty('spec')
      expect(Object.keys(item.metadata).toSorted()).toEqual(named)
    }
  })

  const wrong = [
    ['C1-59', 'spec.citty', /did you mean spec\.city\?/],
    ['C1-59', 'spec.city.part', /is not a field/],
    ['C1-59', 'spec.home.nummer', /did you mean spec\.home\.number\?/],
    ['C1-59', 'metadata.nam', /did you mean metadata\.name\?/],
    ['C1-59', '', /is not a field/],
    ['C1-60', 'metadata.labels.a', /metadata\.labels, which is answered as a whole/],
  ] as const
  for (const [id, fields, message] of wrong) {
    test(`${id} fields=${fields} is 400`, async () => {
      const { path } = await api.things()
      for (const at of [path, `${path}/none`]) {
        const answer = await api.request('GET', `${at}?fields=${fields}`)
        expectProblem(answer, 400, 'BadRequest')
        expect(answer.text).toMatch(message)
      }
    })
  }

  test('C1-62 fields on a watch is 400', async () => {
    const { path } = await api.things()
    const headers = { accept: 'text/event-stream' }
    expectProblem(await api.request('GET', `${path}?fields=spec.city`, { headers }), 400, 'BadRequest')
  })
})
