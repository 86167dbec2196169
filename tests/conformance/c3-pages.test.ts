import { expect, test } from 'vitest'
import { thing, type Collection, type List, type Query } from './collection.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine, once } from './server.ts'

/** Follows `continue` from a first page to the end; `between` runs before each further page. */
async function walk(models: Collection, query: Query, between = async (_page: number) => {}): Promise<string[]> {
  const names: string[] = []
  let list = await models.listed(query)
  for (let page = 1; ; page++) {
    names.push(...list.items.map(({ metadata }) => metadata.name))
    if (list.continue === undefined || page > 100) return names
    await between(page)
    list = await models.listed({ continue: list.continue })
  }
}

onEachEngine((api) => {
  /** Seven objects, p1 first; the odd ones are in Oslo. */
  const seven = once(async () => {
    const models = await api.model()
    for (let at = 1; at <= 7; at++) {
      const odd = at % 2 === 1
      await models.created({
        name: `p${at}`,
        metadata: { labels: { 'a.b/odd': `${odd}` } },
        spec: { city: odd ? 'Oslo' : 'Rome', age: 10 - at },
      })
    }
    return models
  })

  test('C3-1 S4.1-1 a list has the type of its objects and contains the objects', async () => {
    const models = await seven()
    const list = await models.listed()
    expect(list).toMatchObject({ apiVersion: 'test.example.com/v1alpha1', kind: `${models.spec.kind}List` })
    expect(list.items).toContainEqual(await models.read('p1'))
  })

  test('C3-2 S4.1-7 a list contains its page and size, and as many objects as size', async () => {
    const list = await (await seven()).listed({ page: '2', size: '3' })
    expect(list).toMatchObject({ page: 2, size: 3 })
    expect(list.items).toHaveLength(3)
  })

  test('C3-3 C3-4 total is the number of selected objects and is no estimate', async () => {
    const models = await seven()
    expect(await models.listed({ size: '2' })).toMatchObject({ total: 7, totalIsEstimate: false })
    const odd = { labelSelector: 'a.b/odd=true', size: '1' }
    expect(await models.listed(odd)).toMatchObject({ total: 4, totalIsEstimate: false })
    const both = { labelSelector: 'a.b/odd=true', fieldSelector: 'spec.age>5', size: '1' }
    expect(await models.listed(both)).toMatchObject({ total: 2, totalIsEstimate: false })
  })

  test('C3-5 totalPages is the number of pages', async () => {
    const models = await seven()
    const pages = ['1', '3', '6', '7', '8'].map(async (size) => (await models.listed({ size })).totalPages)
    expect(await Promise.all(pages)).toEqual([7, 3, 2, 1, 1])
  })

  test('C3-6 C3-7 first, hasPrevious, last and hasNext describe the position of the page', async () => {
    const models = await seven()
    const rows: readonly (readonly [string, Partial<List>])[] = [
      ['1', { first: true, hasPrevious: false, last: false, hasNext: true }],
      ['2', { first: false, hasPrevious: true, last: false, hasNext: true }],
      ['3', { first: false, hasPrevious: true, last: true, hasNext: false }],
    ]
    for (const [page, expected] of rows) expect(await models.listed({ page, size: '3' })).toMatchObject(expected)
    const only = { first: true, hasPrevious: false, last: true, hasNext: false }
    for (const query of [{ size: '7' }, {}]) expect(await models.listed(query)).toMatchObject(only)
    let list = await models.listed({ size: '3' })
    for (const [page, expected] of rows.slice(1)) {
      list = await models.listed({ continue: list.continue ?? '' })
      expect(list).toMatchObject({ ...expected, page: Number(page), size: 3 })
    }
  })

  test('C3-8 continue is present if and only if there are more objects', async () => {
    const models = await seven()
    expect((await models.listed({ size: '6' })).continue).toEqual(expect.any(String))
    expect((await models.listed({ size: '3', page: '2' })).continue).toEqual(expect.any(String))
    for (const query of [{ size: '7' }, { size: '3', page: '3' }, { size: '500' }, {}]) {
      expect(await models.listed(query)).not.toHaveProperty('continue')
    }
  })

  test('C3-9 a list has a revision', async () => {
    const models = await seven()
    for (const query of [{}, { size: '2' }]) expect((await models.listed(query)).revision).toMatch(/./)
  })

  const refused = [
    ['S4.1-6', 'page=0&size=3'],
    ['S4.1-6', 'page=-1&size=3'],
    ['C3-12', 'size=0'],
    ['C3-12', 'size=-1'],
    ['C3-13', 'page=1.5&size=3'],
    ['C3-13', 'page=one&size=3'],
    ['C3-13', 'size=2.5'],
    ['C3-13', 'size=many'],
    ['C3-13', 'size='],
    ['C3-13', 'size=1e1'],
    ['C3-14', 'page=2'],
  ] as const
  for (const [numbers, query] of refused) {
    test(`${numbers} ${query} is 400 InvalidPage`, async () => {
      expectProblem(await api.request('GET', `/api/v1alpha1/roles?${query}`), 400, 'InvalidPage')
    })
  }

  test('C3-14 S4.1-6 page=1 does not require a size', async () => {
    expectStatus(await api.request('GET', '/api/v1alpha1/roles?page=1'), 200)
  })

  test('C3-15 S4.1-6 S4.1-11 any page is served, numbered from 1, newest objects first', async () => {
    const models = await seven()
    const names = (page: string) => models.names({ page, size: '3' })
    expect([await names('1'), await names('2'), await names('3')]).toEqual([
      ['p7', 'p6', 'p5'],
      ['p4', 'p3', 'p2'],
      ['p1'],
    ])
  })

  test('C3-16 a page past the end is 200 and empty', async () => {
    const list = await (await seven()).listed({ page: '4', size: '3' })
    expect(list).toMatchObject({ items: [], total: 7, last: true, hasNext: false })
    expect((await (await seven()).listed({ page: '100000', size: '500' })).items).toEqual([])
  })

  test('C3-24 continue returns the objects after its page', async () => {
    const models = await seven()
    expect(await walk(models, { size: '3' })).toEqual(['p7', 'p6', 'p5', 'p4', 'p3', 'p2', 'p1'])
    expect(await walk(models, { size: '2', page: '2' })).toEqual(['p5', 'p4', 'p3', 'p2', 'p1'])
  })

  test('C3-25 continue carries the selector', async () => {
    const models = await seven()
    expect(await walk(models, { size: '1', labelSelector: 'a.b/odd=true' })).toEqual(['p7', 'p5', 'p3', 'p1'])
    expect(await walk(models, { size: '2', fieldSelector: 'spec.city=Rome' })).toEqual(['p6', 'p4', 'p2'])
  })

  test('C3-26 continue carries the sort', async () => {
    const models = await seven()
    const expected = ['p7', 'p5', 'p3', 'p1', 'p6', 'p4', 'p2']
    expect(await walk(models, { size: '2', sort: ['spec.city,asc', 'spec.age,asc'] })).toEqual(expected)
  })

  const others: readonly Query[] = [
    { labelSelector: 'a.b/odd=true' },
    { fieldSelector: 'spec.city=Rome' },
    { sort: 'metadata.name,asc' },
    { page: '2' },
  ]
  for (const other of others) {
    test(`C3-27 continue with ${Object.keys(other).join()} is 400`, async () => {
      const models = await seven()
      const { continue: cursor = '' } = await models.listed({ size: '2', ...(!('page' in other) && other) })
      expect((await models.send('GET', { continue: cursor, ...other })).status).toBe(400)
    })
  }

  test('C3-450 continue of another model is 400', async () => {
    const [models, another] = [await seven(), await api.model()]
    const { continue: cursor = '' } = await models.listed({ size: '2' })
    const answer = await another.send('GET', { continue: cursor })
    expectProblem(answer, 400, 'BadRequest')
    expect(answer.body).toMatchObject({ errors: [{ field: 'query.continue' }] })
    expect((await models.listed({ continue: cursor })).items).toHaveLength(2)
  })

  test('C3-28 paging with continue neither duplicates nor skips objects while others are created and deleted', async () => {
    const models = await api.model()
    const fixed = Array.from({ length: 9 }, (_, at) => `f${at + 1}`)
    for (const name of fixed) {
      await models.created({ name })
      await models.created({ name: `${name}-gone` })
    }
    const disturb = async (page: number) => {
      await models.created({ name: `f${page}-new` })
      await models.delete(`f${page}-gone`)
      await models.delete(`f${10 - page}-gone`)
    }
    for (const sort of ['metadata.name,asc', 'metadata.creationTimestamp,asc']) {
      const names = await walk(models, { size: '2', sort }, disturb)
      expect(names.filter((name) => fixed.includes(name))).toEqual(fixed)
      expect(new Set(names).size).toBe(names.length)
      for (const { metadata } of (await models.listed()).items) {
        if (metadata.name.endsWith('-new')) await models.delete(metadata.name)
      }
    }
  })

  test('C3-29 a set of 500 names is accepted, one of 501 is 400', async () => {
    const models = await seven()
    const set = (count: number) =>
      `metadata.name=(${['p1', ...Array.from({ length: count - 1 }, (_, at) => `x${at}`)].join(',')})`
    expect(await models.names({ fieldSelector: set(500) })).toEqual(['p1'])
    expect((await models.send('GET', { fieldSelector: set(501) })).status).toBe(400)
  })

  test('C3-18 S4.1-8 more than 500 objects are served with and without a size', async () => {
    const models = await api.model()
    await Promise.all(
      Array.from({ length: 620 }, (_, at) => api.request('POST', models.path, { body: thing({ name: `m${at}` }) })),
    )
    const all = await models.names()
    expect(new Set(all).size).toBe(620)
    expect(await models.names({ size: '501' })).toEqual(all.slice(0, 501))
    expect(await models.names({ size: '501', page: '2' })).toEqual(all.slice(501))
    expect(await models.names({ size: '10000' })).toEqual(all)
  })

  test('C3-19 a list without a size is one snapshot during concurrent writes', async () => {
    const models = await api.model()
    let writing = true
    const writer = async () => {
      while (writing) await models.create()
    }
    const writers = Array.from({ length: 4 }, writer)
    try {
      await expect.poll(async () => (await models.listed({ size: '1' })).total).toBeGreaterThan(600)
      for (let times = 0; times < 5; times++) {
        const { items, total } = await models.listed()
        expect(items).toHaveLength(total)
      }
    } finally {
      writing = false
      await Promise.all(writers)
    }
  })
})
