import { testHost } from '@pergola/plugin-sdk/testing'
import { expect, test } from 'vitest'
import plugin, { mine, readShared, share, stats, Todo } from './plugin.ts'

test('users see their own todos, anonymous callers only shared ones, and a due todo reminds once', async () => {
  const webhook = 'https://hooks.test/todo'
  await using host = await testHost(plugin, { now: '2030-03-01T09:00:00Z', settings: { webhook } })
  const ann = await host.user('ann')
  const bob = await host.user('bob')
  const boss = await host.user('boss', ['todo-view'])

  const milk = await ann.client(mine).create({ title: 'Buy milk', due: '2030-03-01T10:00:00Z' })
  expect(milk.spec).toMatchObject({ owner: 'ann', state: 'open' })
  expect(await bob.client(mine).list().all()).toEqual([])
  await expect(bob.client(Todo).get(milk.metadata.name)).rejects.toMatchObject({ reason: 'Forbidden' })
  await expect(bob.call(share, { name: milk.metadata.name })).rejects.toMatchObject({ reason: 'NotFound' })
  expect(await boss.call(stats)).toEqual({ open: 1, done: 0 })

  const { code } = await ann.call(share, { name: milk.metadata.name })
  expect(await host.anonymous.call(readShared, { code })).toEqual({ title: 'Buy milk', state: 'open' })

  await host.advance('2h')
  expect(host.sent(webhook)).toMatchObject([{ method: 'POST', body: '{"title":"Buy milk"}' }])
  await ann.client(mine).patch(milk.metadata.name, { spec: { title: 'Buy oat milk' } })
  await host.advance('1d')
  expect(host.sent(webhook)).toHaveLength(1)
})
