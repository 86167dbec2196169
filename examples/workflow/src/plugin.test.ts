import { testHost } from '@pergola/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { Budget, Purchase } from './models.ts'
import plugin from './plugin.ts'
import { again, changes, decide, delivered, mine, report } from './routes.ts'

const desk = { title: 'A desk', budget: 'office', items: [{ what: 'desk', count: 1, price: 40_000 }] }

/** Generation 1 is the original request. */
const yes = { approve: true, generation: 1 }

/** Users, a budget, and a shop that accepts every order. */
async function office() {
  const shop = 'https://shop.test/'
  const reminders = 'https://mail.test/send'
  const now = new Date().toISOString()
  const host = await testHost(plugin, { now, settings: { shop, token: 'secret', reminders } })
  const ann = await host.user('ann')
  const boss = await host.user('boss', ['purchasing-approve'])
  const keeper = await host.user('keeper', ['purchasing-manage'])
  await keeper.client(Budget).create({ code: 'OFF-2030', approver: 'boss', limit: 100_000 }, { name: 'office' })
  return { host, ann, boss, keeper, shop, reminders, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() }
}

test('the budget owner is reminded and decides, the shop gets the order, and the supplier delivers', async () => {
  await using all = await office()
  const { host, ann, boss, keeper } = all

  const { metadata, spec } = await ann.client(mine).create(desk)
  const name = metadata.name
  expect(spec.owner).toBe('ann')
  await host.advance('1h')
  expect(host.sent(all.reminders)).toEqual([])
  await host.advance('2d')
  expect(host.sent(all.reminders)).toMatchObject([
    { body: '{"to":"boss","text":"\\"A desk\\" waits for your decision"}' },
  ])

  await expect(ann.call(decide, { name, body: yes })).rejects.toMatchObject({
    reason: 'Forbidden',
  })
  await boss.call(decide, { name, body: { approve: true, generation: 1, note: 'Well chosen' } })
  await expect(boss.call(decide, { name, body: { approve: false, generation: 1 } })).rejects.toMatchObject({
    reason: 'PreconditionFailed',
  })
  await host.advance('1s')
  const number = metadata.uid
  expect(host.sent(`${all.shop}orders/${number}`)).toMatchObject([
    { method: 'PUT', headers: { authorization: 'Bearer secret' } },
  ])

  await host.advance('1d')
  expect(await keeper.call(report, { name: 'office' })).toEqual({
    code: 'OFF-2030',
    left: 60_000,
    waiting: 0,
    asked: 1,
  })
  expect(await host.anonymous.call(delivered, { number })).toEqual({ title: 'A desk' })
  await expect(host.anonymous.call(delivered, { number })).rejects.toMatchObject({ reason: 'NotFound' })
  expect((await ann.client(mine).get(name)).status).toMatchObject({ state: 'delivered', decidedBy: 'boss' })
})

test('an order is cancelled before its purchase is deleted', async () => {
  await using all = await office()
  const { host, ann, boss } = all
  const { metadata } = await ann.client(mine).create(desk)
  await host.advance('1s')
  await boss.call(decide, { name: metadata.name, body: yes })
  await host.advance('1s')
  const going = await ann.client(mine).delete(metadata.name)
  expect(going.metadata).toMatchObject({ finalizers: ['purchasing.example.com/order'] })
  await host.advance('1s')
  await expect(ann.client(mine).get(metadata.name)).rejects.toMatchObject({ reason: 'NotFound' })
  expect(host.sent(`${all.shop}orders/${metadata.uid}`).map(({ method }) => method)).toEqual(['PUT', 'DELETE'])
})

test('invalid purchases are rejected by the controller, the schema, the check, the index, the host or the route', async () => {
  await using all = await office()
  const { host, ann, boss, keeper } = all
  const bob = await host.user('bob')
  const { metadata } = await ann.client(mine).create({ ...desk, neededBy: '2030-05-02' })
  const name = metadata.name

  // Rejected by the controller, which reads other objects.
  const { metadata: lost } = await ann.client(mine).create({ ...desk, budget: 'none' })
  await host.advance('1s')
  const { status } = await ann.client(mine).get(lost.name)
  expect(status).toMatchObject({ state: 'refused', note: 'there is no budget "none"' })
  await ann.client(mine).delete(lost.name)

  // Rejected by the schema, by `check`, by a unique index, by the owner check of the host, and by a route.
  await expect(ann.client(mine).create({ ...desk, items: [] })).rejects.toMatchObject({ reason: 'Invalid' })
  const twice = { ...desk, items: [...desk.items, ...desk.items] }
  await expect(ann.client(mine).create(twice)).rejects.toThrow('spec.items[1].what is listed twice')
  const same = { code: 'OFF-2030', approver: 'bob', limit: 1 }
  await expect(keeper.client(Budget).create(same)).rejects.toMatchObject({ reason: 'DuplicateIndexValue' })
  await expect(bob.call(again, { name })).rejects.toMatchObject({ reason: 'NotFound' })
  const { metadata: own } = await boss.client(mine).create(desk)
  await host.advance('1s')
  await expect(boss.call(decide, { name: own.name, body: yes })).rejects.toThrow('somebody else')

  await ann.client(mine).patch(name, { spec: { items: [{ what: 'golden desk', count: 1, price: 90_000 }] } })
  await expect(boss.call(decide, { name, body: yes })).rejects.toThrow('has changed since it was read')
  await host.advance('1s')
  await boss.call(decide, { name, body: { approve: false, generation: 2, note: 'Too dear' } })
  expect((await ann.client(mine).get(name)).status).toMatchObject({ state: 'refused', total: 90_000 })
  await expect(ann.client(mine).patch(name, { spec: { title: 'Two desks' } })).rejects.toThrow(
    'the purchase is refused',
  )
  await ann.call(again, { name })
  const found = boss.client(Purchase).list({ where: { words: 'desk', 'spec.owner': 'ann' }, sort: 'month' })
  expect((await found.all()).map(({ spec }) => spec.neededBy)).toEqual([undefined, '2030-05-02'])
})

test('a stream shows the purchases and their changes', async () => {
  await using all = await office()
  const { ann, boss } = all
  const { body } = await boss.open(changes)
  const lines = body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  const sees = async (text: string) => {
    while (!seen.includes(text)) seen += (await lines?.read())?.value ?? expect.fail(`never said "${text}": ${seen}`)
  }
  const { metadata } = await ann.client(mine).create(desk)
  await sees('data: A desk: waiting\n\n')
  await ann.client(mine).delete(metadata.name)
  await sees('data: A desk: gone\n\n')
  await lines?.cancel()
})
