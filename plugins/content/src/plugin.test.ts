import { testHost } from '@pergola/plugin-sdk/testing'
import { expect, test } from 'vitest'
import plugin, { mine, Post, publishAny, published, publishMine, readPost, submit, withdraw } from './plugin.ts'

test('a contributor submits, somebody who manages posts publishes, and everybody reads what was looked at', async () => {
  await using host = await testHost(plugin, { comesWithHost: true, now: '2030-03-01T09:00:00Z' })
  const [ann, bob, boss] = [
    await host.user('ann', ['contributor']),
    await host.user('bob', ['author']),
    await host.user('boss', ['post-administrator']),
  ]
  const hello = { title: 'Hello', slug: 'hello', body: 'First words.' }

  const { metadata, spec } = await ann.client(mine).create(hello)
  const name = metadata.name
  expect(spec).toEqual({ ...hello, owner: 'ann' })
  await expect(ann.call(publishMine, { name })).rejects.toMatchObject({ reason: 'Forbidden' })
  await expect(bob.call(publishMine, { name })).rejects.toMatchObject({ reason: 'NotFound' })
  await ann.call(submit, { name })
  await expect(ann.client(mine).patch(name, { spec: { body: 'Others.' } })).rejects.toMatchObject({ reason: 'Invalid' })
  await expect(host.anonymous.call(readPost, { slug: 'hello' })).rejects.toMatchObject({ reason: 'NotFound' })

  const [waiting] = await boss
    .client(Post)
    .list({ where: { 'status.state': 'submitted' } })
    .all()
  const version = waiting?.metadata.version ?? -1
  await ann.call(withdraw, { name })
  await ann.client(mine).patch(name, { spec: { body: 'Second words.' } })
  await ann.call(submit, { name })
  await expect(boss.call(publishAny, { name, body: { version } })).rejects.toMatchObject({
    reason: 'PreconditionFailed',
  })
  const now = await boss.client(Post).get(name)
  await boss.call(publishAny, { name, body: { version: now.metadata.version ?? -1 } })
  expect(await host.anonymous.call(readPost, { slug: 'hello' })).toEqual({
    ...hello,
    body: 'Second words.',
    publishedAt: '2030-03-01T09:00:00.000Z',
  })

  await host.advance('1h')
  const { metadata: bobs } = await bob.client(mine).create({ title: 'News', slug: 'news' })
  await bob.call(publishMine, { name: bobs.name })
  const { items } = await host.anonymous.call(published)
  expect(items.map(({ slug }) => slug)).toEqual(['news', 'hello'])
})
