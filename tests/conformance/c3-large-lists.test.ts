import { setTimeout as sleep } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { thing, type Collection, type List } from './collection.ts'
import { plainIndexes, thingModel } from './models.ts'
import { person } from './people.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine, once } from './server.ts'

const slow = 300_000
/** The largest exact total, and the largest list that is one snapshot. */
const bound = 10_000
/** More in total than the 16 MiB of one snapshot, and more than the socket buffers hold. */
const heavy = { objects: 1_500, bytes: 20_000 }

onEachEngine((api) => {
  const fill = (models: Collection, count: number, spec: Record<string, unknown> = {}) =>
    api.fill(
      models,
      Array.from({ length: count }, (_, at) => ({ metadata: { name: `o-${at}` }, spec: { city: 'Rome', ...spec } })),
    )
  const tenThousand = once(async () => {
    const models = await api.model()
    await fill(models, bound)
    return models
  })
  const oneMore = once(async () => {
    const models = await tenThousand()
    await models.created({ name: 'one-more' })
    return models
  })
  const heavyOnes = once(async () => {
    const models = await api.model()
    await fill(models, heavy.objects, { note: 'x'.repeat(heavy.bytes) })
    return models
  })

  test('C3-30 a total of 10,000 is exact', { timeout: slow }, async () => {
    const models = await tenThousand()
    expect(await models.listed({ size: '1' })).toMatchObject({ total: bound, totalIsEstimate: false })
  })

  test('C3-31 a total above 10,000 is an estimate, except on SQLite', { timeout: slow }, async () => {
    const models = await oneMore()
    const list = await models.listed({ size: '1' })
    if (api.engine === 'SQLite') expect(list).toMatchObject({ total: bound + 1, totalIsEstimate: false })
    else expect(list).toMatchObject({ total: expect.any(Number) as number, totalIsEstimate: true })
  })

  test('C3-32 a total above 10,000 is exact with exactTotal=true', { timeout: slow }, async () => {
    const models = await oneMore()
    const list = await models.listed({ size: '1', exactTotal: 'true' })
    expect(list).toMatchObject({ total: bound + 1, totalIsEstimate: false })
  })

  test(
    'C3-20 S4.1-8 a list beyond one snapshot contains every unchanged object once during concurrent writes',
    { timeout: slow },
    async () => {
      const models = await oneMore()
      let listing = true
      const writer = async () => {
        while (listing) {
          const { metadata } = await models.created()
          await models.delete(metadata.name)
        }
      }
      const writing = writer()
      const listed = await models.names().finally(() => {
        listing = false
      })
      await writing
      const names = listed.filter((name) => /^o(-\d+|ne-more)$/.test(name))
      expect(names).toHaveLength(bound + 1)
      expect(new Set(names).size).toBe(bound + 1)
    },
  )

  test('C3-73 a selector on an index that is being built is 503', { timeout: slow }, async () => {
    const models = await oneMore()
    const firstRefusal = async (): Promise<Answer | undefined> => {
      for (const patience = Date.now() + 60_000; Date.now() < patience;) {
        const answer = await models.send('GET', { fieldSelector: 'spec.note=x', size: '1' })
        if (answer.status === 200) return undefined
        if (answer.status === 503) return answer
        expectProblem(answer, 400, 'FieldNotIndexed')
      }
      return undefined
    }
    const indexes = [...(thingModel.indexes ?? []), ...plainIndexes('spec.note', 'spec.nick')]
    const [first] = await Promise.all([firstRefusal(), models.redefine({ indexes })])
    if (!first) throw new Error('the index was built at once; the model is too small to observe the build')
    expectProblem(first, 503, 'IndexBuilding')
    expect(first.headers['retry-after']).toMatch(/^\d+$/)
    expect((first.body as { detail: string }).detail).toMatch(/\d/)
    const used = async () => (await models.send('GET', { fieldSelector: 'spec.note=x', size: '1' })).status
    await expect.poll(used).toBe(200)
  })

  test(
    'C3-22 C3-23 C5-24 two unread lists block no other request, and a third one is 429',
    { timeout: slow },
    async () => {
      const models = await heavyOnes()
      const unread = [await api.open(models.path), await api.open(models.path)]
      try {
        expect(unread.map(({ statusCode }) => statusCode)).toEqual([200, 200])
        const third = await api.request('GET', models.path)
        expectProblem(third, 429, 'TooManyRequests')
        expect(third.headers['retry-after']).toMatch(/^\d+$/)
        for (let at = 0; at < 20; at++) {
          expectStatus(await api.request('POST', models.path, { body: thing({ name: `beside-${at}` }) }), 201)
          expectStatus(await models.get(`beside-${at}`), 200)
          expectStatus(await models.send('GET', { size: '2' }), 200)
        }
        const lists = await Promise.all(unread.map(async (message) => JSON.parse(await text(message)) as List))
        for (const { items } of lists) expect(items.length).toBeGreaterThanOrEqual(heavy.objects)
      } finally {
        for (const message of unread) message.destroy()
      }
      await expect.poll(async () => (await models.send('GET', {})).status).toBe(200)
    },
  )

  test('C3-76 a ninth unread list on a replica is 429, whoever the caller is', { timeout: slow }, async () => {
    const models = await heavyOnes()
    const people = await Promise.all(Array.from({ length: 5 }, () => person(api, { roles: ['super-administrator'] })))
    const [last, ...first] = people.map(({ token }) => token)
    const unread = []
    try {
      for (const token of [...first, ...first]) unread.push(await api.open(models.path, { token }))
      expect(unread.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 8 }, () => 200))
      expectProblem(await api.request('GET', models.path, { token: String(last) }), 429, 'TooManyRequests')
    } finally {
      for (const message of unread) message.destroy()
    }
    await expect.poll(async () => (await models.send('GET', {})).status).toBe(200)
  })

  test('C4-40 unchanged indexes are available after a restart of the server', { timeout: slow }, async () => {
    const models = await oneMore()
    await api.restart()
    const query = { fieldSelector: 'metadata.name=one-more,spec.city=Rome', sort: 'spec.age,asc', size: '5' }
    expect(await models.names(query)).toEqual(['one-more'])
  })

  test('C3-21 a list that fails midway resets the connection', { timeout: slow }, async () => {
    const models = await heavyOnes()
    const message = await api.open(models.path)
    expect(message.statusCode).toBe(200)
    await sleep(100)
    await api.breakDatabase()
    const outcome = await text(message).catch(() => 'cut off')
    if (outcome === 'cut off') return
    const { items } = JSON.parse(outcome) as List
    expect(items.length).toBeGreaterThanOrEqual(heavy.objects)
  })
})
