import { testHost } from '@pergola/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { Event } from './models.ts'
import plugin from './plugin.ts'
import { cancel, guests, mine, program, register, seats } from './routes.ts'

const mail = 'https://mail.test/send/'
const talks = [{ title: 'Locks without tears', speaker: 'Mo' }]
const meetup = { title: 'Summer meetup', code: 'summer-2030', start: '2030-06-01T18:00:00Z', seats: 10, talks }

async function hall() {
  const host = await testHost(plugin, { now: '2030-05-01T09:00:00Z', settings: { mail, token: 'secret' } })
  const boss = await host.user('boss', ['events-manage'])
  const ann = await host.user('ann')
  const event = await boss.client(Event).create(meetup, { name: 'meetup' })
  return { host, boss, ann, event, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() }
}

test('fifty users want ten seats: ten get one, and one that is given back is taken again', async () => {
  await using all = await hall()
  const { host, boss, ann } = all
  const users = await Promise.all(Array.from({ length: 50 }, (_, at) => host.user(`user-${at}`)))
  const calls = await Promise.allSettled(users.map((user) => user.call(register, { name: 'meetup' })))
  const lucky = calls.flatMap(({ status }, at) => (status === 'fulfilled' ? [users[at]] : []))
  expect(lucky).toHaveLength(10)
  expect((await boss.client(Event).get('meetup')).spec.taken).toBe(10)
  await expect(ann.call(register, { name: 'meetup' })).rejects.toThrow('sold out')

  const [own] = (await lucky[0]?.client(mine).list().all()) ?? []
  await expect(ann.call(cancel, { name: own?.metadata.name ?? '' })).rejects.toMatchObject({ reason: 'NotFound' })
  await lucky[0]?.call(cancel, { name: own?.metadata.name ?? '' })
  await ann.call(register, { name: 'meetup' })
  expect((await boss.call(guests, { name: 'meetup' })).map(({ name }) => name)).toContain('ann')
  await expect(boss.client(Event).delete('meetup')).rejects.toMatchObject({ reason: 'InUse' })
})

test('nobody has two seats at one event, or moves a registration to another one', async () => {
  await using all = await hall()
  const { boss, ann } = all
  await boss.client(Event).create({ ...meetup, code: 'other' }, { name: 'other' })
  const { name } = await ann.call(register, { name: 'meetup' })
  await expect(ann.call(register, { name: 'meetup' })).rejects.toMatchObject({ reason: 'DuplicateIndexValue' })
  await expect(ann.client(mine).patch(name, { spec: { event: 'other' } })).rejects.toMatchObject({ reason: 'Invalid' })
  await ann.client(mine).patch(name, { spec: { note: 'No nuts, please' } })
  expect(await boss.call(guests, { name: 'meetup' })).toEqual([{ name: 'ann', note: 'No nuts, please' }])
  await expect(boss.client(Event).patch('meetup', { spec: { seats: 0 } })).rejects.toMatchObject({ reason: 'Invalid' })
  const twice = { ...meetup, code: 'twice', talks: [...talks, ...talks] }
  await expect(boss.client(Event).create(twice)).rejects.toThrow('spec.talks[1].title is listed twice')
})

test('anybody reads the program, by words and by speakers of talks', async () => {
  await using all = await hall()
  const { host } = all
  const shown = [{ name: 'meetup', title: 'Summer meetup', start: meetup.start, left: 10 }]
  expect(await host.anonymous.call(program)).toEqual(shown)
  expect(await host.anonymous.call(program, { query: { speaker: 'Mo', word: 'Tears' } })).toEqual(shown)
  expect(await host.anonymous.call(program, { query: { speaker: 'Flo' } })).toEqual([])
  await host.advance('60d')
  expect(await host.anonymous.call(program)).toEqual([])
})

test('guests are reminded once, a day before; the reminder is dropped with the event', async () => {
  await using all = await hall()
  const { host, boss, ann, event } = all
  const { name } = await ann.call(register, { name: 'meetup' })
  await host.advance('29d')
  expect(host.sent(mail)).toEqual([])
  await host.advance('2d')
  expect(host.sent(mail)).toMatchObject([{ method: 'POST', headers: { authorization: 'Bearer secret' } }])
  expect((await boss.client(Event).get('meetup')).status).toMatchObject({ guests: 1 })
  await ann.call(cancel, { name })
  await boss.client(Event).delete('meetup')
  await host.advance('1s')
  await expect(boss.client(Event).get('meetup')).rejects.toMatchObject({ reason: 'NotFound' })
  expect(host.sent(`${mail}${event.metadata.uid}`)).toMatchObject([{ method: 'DELETE' }])
})

test('a stream shows the seats that are left', async () => {
  await using all = await hall()
  const { ann, boss } = all
  const { body } = await boss.open(seats, { name: 'meetup' })
  const lines = body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  const sees = async (text: string) => {
    while (!seen.includes(text)) seen += (await lines?.read())?.value ?? expect.fail(`never said "${text}": ${seen}`)
  }
  await sees('data: 10\n\n')
  await ann.call(register, { name: 'meetup' })
  await sees('data: 9\n\n')
  await lines?.cancel()
})
