import { conflict, created, isApiError, owned, route, t } from '@pergola/plugin-sdk'
import { Event, Registration, User, type StoredEvent } from './models.ts'
import { attend, look, view } from './roles.ts'

// uc.api.events.example.com: the caller's own registrations.

/** Served by the host, which sets the owner. They are created and deleted by the two routes below alone. */
export const mine = owned(Registration, 'spec.owner', {
  allow: [{ to: attend, verbs: ['get', 'list', 'watch', 'patch'] }],
  readOnly: ['spec.event'],
})

export const register = route(
  'POST /events/:name/seats',
  { allow: attend, response: t.Object({ name: t.String() }) },
  async ({ params, caller, client, batch }) =>
    untilUnchanged(async () => {
      const event = await client(Event).get(params.name)
      if (event.spec.taken >= event.spec.seats) conflict('sold out')
      const spec = { event: params.name, owner: caller.name ?? '' }
      const [, { metadata }] = await batch([
        { verb: 'update', of: Event, object: withTaken(event, 1) },
        { verb: 'create', of: Registration, object: { spec } },
      ])
      return created({ name: metadata.name })
    }),
)

export const cancel = route(
  'POST /registrations/:name/cancel',
  { allow: attend },
  async ({ params, caller, client, batch }) =>
    untilUnchanged(async () => {
      // with the caller's rights: registrations of others are not found
      const { spec } = await caller.client(mine).get(params.name)
      const event = await client(Event).get(spec.event)
      await batch([
        { verb: 'update', of: Event, object: withTaken(event, -1) },
        { verb: 'delete', of: Registration, name: params.name },
      ])
    }),
)

/** Both or none: `event` carries the version that was read, so a batch that comes too late changes nothing. */
async function untilUnchanged<Result>(write: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isApiError(error) || error.reason !== 'VersionConflict') throw error
    }
  }
}

function withTaken(event: StoredEvent, change: number): StoredEvent {
  return { ...event, spec: { ...event.spec, taken: event.spec.taken + change } }
}

// api.events.example.com: anybody.

const Program = t.Array(t.Object({ name: t.String(), title: t.String(), start: t.String(), left: t.Integer() }))

export const program = route(
  'GET /events',
  {
    allow: look,
    query: t.Object({ speaker: t.Optional(t.String()), word: t.Optional(t.String()) }),
    response: Program,
  },
  async ({ query, client, clock }) => {
    const where = {
      'spec.start': { above: clock.iso() },
      ...(query.speaker !== undefined && { 'spec.talks[].speaker': query.speaker }),
      ...(query.word !== undefined && { words: query.word.toLowerCase() }),
    }
    const { items } = await client(Event).list({ where, sort: 'spec.start' }).page(1, 50)
    return items.map(({ metadata: { name }, spec: { title, start, seats, taken } }) => ({
      name,
      title,
      start,
      left: seats - taken,
    }))
  },
)

// console.api.events.example.com: the administration.

const Guests = t.Array(t.Object({ name: t.String(), email: t.Optional(t.String()), note: t.Optional(t.String()) }))

export const guests = route(
  'GET /events/:name/guests',
  { allow: view, response: Guests },
  async ({ params, client }) => {
    const registrations = await client(Registration)
      .list({ where: { 'spec.event': params.name } })
      .all()
    const users = await client(User).getMany(registrations.map(({ spec }) => spec.owner))
    return registrations.map(({ spec: { owner, note } }, at) => {
      const { email } = users[at]?.spec ?? {}
      return { name: owner, ...(email !== undefined && { email }), ...(note !== undefined && { note }) }
    })
  },
)

/** Streams the seats that are left until the client disconnects. */
export const seats = route(
  'GET /events/:name/seats',
  { allow: view, stream: true, produces: 'text/event-stream' },
  async function* ({ params, client, signal }) {
    const where = { 'metadata.name': params.name }
    for await (const event of client(Event).watch({ where, initial: true, signal })) {
      // Also after bookmarks, every ten seconds: a host ends a stream that is silent for a minute.
      yield 'object' in event ? `data: ${event.object.spec.seats - event.object.spec.taken}\n\n` : ':\n\n'
    }
  },
)
