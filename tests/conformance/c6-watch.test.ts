import { describe, expect, test } from 'vitest'
import { freshName, sentBack } from './collection.ts'
import { onEachEngine } from './server.ts'
import { transports } from './watching.ts'

onEachEngine((api) => {
  describe.each(transports)('%s', (transport) => {
    test('C6-1 S5-11 every change of a collection arrives once, in order and as stored', async () => {
      const things = await api.model()
      using watching = await api.watch(things.path, { transport })
      const [one, two] = [freshName(), freshName()]
      const first = await things.created({ name: one })
      await things.created({ name: two })
      const second = await things.updated(one, sentBack(first, { spec: { city: 'Oslo' } }))
      await things.delete(two)
      expect(await watching.until(4)).toEqual([`ADDED ${one}`, `ADDED ${two}`, `MODIFIED ${one}`, `DELETED ${two}`])
      const [added, , modified] = watching.events
      expect(added?.object).toEqual(first)
      expect(modified?.object).toEqual(second)
    })

    test('C6-2 a watch of one object returns only the changes of that object', async () => {
      const things = await api.model()
      const [one, two] = [freshName(), freshName()]
      using watching = await api.watch(`${things.path}/${one}`, { transport })
      await things.created({ name: two })
      await things.created({ name: one })
      await things.delete(two)
      await things.delete(one)
      expect(await watching.until(2)).toEqual([`ADDED ${one}`, `DELETED ${one}`])
    })

    test('C6-3 initial=true returns the current objects, then a bookmark, then changes', async () => {
      const things = await api.model()
      const names = [freshName(), freshName(), freshName()]
      for (const name of names) await things.created({ name })
      using watching = await api.watch(`${things.path}?initial=true`, { transport })
      expect((await watching.until(3)).toSorted()).toEqual(names.map((name) => `ADDED ${name}`).toSorted())
      expect(watching.frames.slice(0, 3).every(({ revision }) => revision === undefined)).toBe(true)
      const last = freshName()
      await things.created({ name: last })
      expect((await watching.until(4)).at(-1)).toBe(`ADDED ${last}`)
      expect(watching.frames[3]?.type).toBe('BOOKMARK')
      expect(watching.events.at(-1)?.revision).toBeDefined()
    })

    test('C6-4 a watch resumes after the revision of a list, an event or a bookmark', async () => {
      const things = await api.model()
      const [one, two, three] = [freshName(), freshName(), freshName()]
      const { revision } = await things.listed()
      await things.created({ name: one })
      using first = await api.watch(`${things.path}?revision=${revision}`, { transport })
      await things.created({ name: two })
      expect(await first.until(2)).toEqual([`ADDED ${one}`, `ADDED ${two}`])
      using second = await api.watch(`${things.path}?revision=${first.events[0]?.revision}`, { transport })
      expect(await second.until(1)).toEqual([`ADDED ${two}`])
      using third = await api.watch(`${things.path}?initial=true`, { transport })
      const bookmark = await third.frame('BOOKMARK')
      await things.created({ name: three })
      using fourth = await api.watch(`${things.path}?revision=${bookmark.revision}`, { transport })
      expect(await fourth.until(1)).toEqual([`ADDED ${three}`])
    })

    test('C6-5 an object that starts or stops matching arrives as ADDED or DELETED', async () => {
      const things = await api.model()
      const [name, other] = [freshName(), freshName()]
      using byField = await api.watch(`${things.path}?fieldSelector=spec.city%3DRome`, { transport })
      using byLabel = await api.watch(`${things.path}?labelSelector=example.com/a%3Db`, { transport })
      const stored = await things.created({ name, spec: { city: 'Oslo' } })
      await things.created({ name: other, spec: { city: 'Oslo' } })
      const rome = await things.updated(name, sentBack(stored, { spec: { city: 'Rome' } }))
      const labels = { 'example.com/a': 'b' }
      const labelled = await things.updated(name, sentBack(rome, { metadata: { labels } }))
      const left = await things.updated(name, sentBack(labelled, { spec: { city: 'Bern' }, metadata: { labels: {} } }))
      await things.delete(name)
      expect(await byField.until(3)).toEqual([`ADDED ${name}`, `MODIFIED ${name}`, `DELETED ${name}`])
      expect(await byLabel.until(2)).toEqual([`ADDED ${name}`, `DELETED ${name}`])
      expect(byField.events.at(-1)?.object).toEqual(left)
    })

    test('C6-6 removing the last finalizer of a deleted object is one DELETED event', async () => {
      const things = await api.model()
      const name = freshName()
      const held = await things.created({ name, metadata: { finalizers: ['example.com/x'] } })
      using watching = await api.watch(things.path, { transport })
      await things.delete(name)
      await things.put(name, sentBack(held, { metadata: { finalizers: [] } }))
      expect(await watching.until(2)).toEqual([`MODIFIED ${name}`, `DELETED ${name}`])
    })

    test('C2-92 an update that changes nothing emits no event', async () => {
      const things = await api.model()
      const name = freshName()
      const stored = await things.created({ name })
      using watching = await api.watch(things.path, { transport })
      await things.updated(name, sentBack(stored))
      await things.delete(name)
      expect(await watching.until(1)).toEqual([`DELETED ${name}`])
    })

    test('C6-7 an expired or never issued revision is reported as 410 and ends the stream', async () => {
      const things = await api.model()
      const { revision } = await things.listed()
      const [number = '', tag = ''] = revision.split('.')
      const strange = `${number}.${BigInt(tag) + 1n}`
      for (const path of [strange, `${Number(number) + 1_000}.${tag}`]) {
        using watching = await api.watch(`${things.path}?revision=${path}`, { transport })
        const { object } = await watching.frame('ERROR')
        expect(object).toMatchObject({ status: 410, reason: 'RevisionExpired', instance: things.path })
        expect(await watching.ended).toBe(transport === 'WebSocket' ? 4410 : 1000)
      }
    })

    test('C6-8 an invalid watch request is rejected before the stream starts', async () => {
      const things = await api.model()
      const refused = async (query: string) => {
        const error = await api.watch(`${things.path}?${query}`, { transport }).then(
          () => undefined,
          (cause: unknown) => cause,
        )
        return (error as { body?: { reason?: string } } | undefined)?.body?.reason
      }
      expect(await refused('revision=x')).toBe('BadRequest')
      expect(await refused('initial=true&revision=1.1')).toBe('BadRequest')
      expect(await refused('size=1')).toBe('BadRequest')
      expect(await refused('labelSelector==')).toBe('InvalidSelector')
      expect(await refused('fieldSelector=spec.note%3Dx')).toBe('FieldNotIndexed')
    })
  })

  test('C6-9 an event stream resumes after Last-Event-ID', async () => {
    const things = await api.model()
    const [one, two] = [freshName(), freshName()]
    const options = { transport: 'event stream' } as const
    using first = await api.watch(things.path, options)
    await things.created({ name: one })
    await things.created({ name: two })
    await first.until(2)
    const headers = { 'last-event-id': String(first.events[0]?.revision) }
    using second = await api.watch(`${things.path}?initial=true`, { ...options, headers })
    expect(await second.until(1)).toEqual([`ADDED ${two}`])
  })

  test('C6-21 each of many concurrent watches without a revision returns the changes that follow its start', async () => {
    const things = await api.model()
    const names = Array.from({ length: 60 }, () => freshName())
    const openedAndWritten = names.map(async (name, at) => {
      const watching = await api.watch(things.path, { transport: transports[at % 2] ?? 'WebSocket' })
      await things.created({ name })
      return { name, watching }
    })
    for (const { name, watching } of await Promise.all(openedAndWritten)) {
      await expect.poll(() => watching.lines()).toContain(`ADDED ${name}`)
      watching[Symbol.dispose]()
    }
  })

  test('C6-10 the sub-protocol `watch.v1+json` is accepted and optional', async () => {
    const things = await api.model()
    const opened = await api.watch(things.path, { protocol: 'watch.v1+json' }).then(
      (watching) => {
        watching[Symbol.dispose]()
        return 'opened'
      },
      (error: unknown) => String(error),
    )
    expect(opened).toBe('opened')
  })

  test('C6-11 an idle stream gets a bookmark every 10 s, from which a watch can resume', async () => {
    const things = await api.model()
    using watching = await api.watch(things.path)
    const other = await api.model()
    await other.created({ name: freshName() })
    await watching.frame('BOOKMARK')
    expect(watching.events).toEqual([])
    const name = freshName()
    await things.created({ name })
    using second = await api.watch(`${things.path}?revision=${watching.frames[0]?.revision}`)
    expect(await second.until(1)).toEqual([`ADDED ${name}`])
  })
})
