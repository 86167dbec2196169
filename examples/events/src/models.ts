import { defineModel, invalid, t, withDefault } from '@pergola/plugin-sdk'

const apiVersion = 'events.example.com/v1'

export const Event = defineModel({
  apiVersion,
  kind: 'Event',
  plural: 'events',
  spec: t.Object({
    title: t.String({ minLength: 1, maxLength: 120, display: { label: { zh: '名称' } } }),
    code: t.String({ pattern: '^[a-z0-9-]{2,20}$', description: 'As printed on tickets: summer-2030' }),
    start: t.String({ format: 'date-time', display: { label: { zh: '开始时间' } } }),
    seats: t.Integer({ minimum: 1, maximum: 10_000, display: { label: { zh: '座位' } } }),
    taken: withDefault(t.Integer({ minimum: 0, description: 'Changed by registrations' }), 0),
    talks: withDefault(
      t.Array(t.Object({ title: t.String({ minLength: 1, maxLength: 120 }), speaker: t.String({ maxLength: 80 }) }), {
        maxItems: 50,
      }),
      [],
    ),
  }),
  status: t.Object({
    remindedAt: t.Optional(t.String({ format: 'date-time' })),
    guests: t.Optional(t.Integer({ description: 'Counted every night' })),
  }),
  statusSubresource: true, // written separately, so that the right to edit an event does not include it
  indexes: [
    'spec.start',
    { path: 'spec.code', unique: true }, // enforced by the database
    'spec.talks[].speaker', // the speakers of all talks
    { name: 'words', multi: ({ spec }) => wordsOf([spec.title, ...spec.talks.map(({ title }) => title)]) },
  ],
  display: {
    icon: 'calendar',
    color: 'green',
    columns: ['spec.title', 'spec.start', 'spec.seats', 'spec.taken'],
  },
  check: ({ spec }) => {
    // what a schema cannot say; before every write, pure, no I/O
    if (spec.taken > spec.seats) invalid('spec.seats', `must be at least ${spec.taken}: so many are taken`)
    const same = spec.talks.findIndex(({ title }, at) => spec.talks.slice(0, at).some((other) => other.title === title))
    if (same > 0) invalid(`spec.talks[${same}].title`, 'is listed twice')
  },
})

export const Registration = defineModel({
  apiVersion,
  kind: 'Registration',
  plural: 'registrations',
  spec: t.Object({
    event: t.Ref(Event), // has to exist, and cannot be deleted as long as this object does
    owner: t.Ref('users'),
    note: t.Optional(t.String({ maxLength: 200, display: { as: 'multiline' } })),
  }),
  indexes: [
    'spec.owner',
    'spec.event',
    { name: 'once', single: ({ spec }) => `${spec.event}/${spec.owner}`, unique: true },
  ],
  composites: [['spec.event', 'spec.owner']], // often filtered by one and sorted by the other
  display: { title: 'spec.owner', icon: 'ticket', color: 'violet', columns: ['spec.owner', 'spec.event', 'spec.note'] },
})

export type StoredEvent = NonNullable<typeof Event.object>

function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.toLowerCase().match(/\w+/g) ?? []))
}

/** The part of a host model that this plugin reads. `permissions` requests the right. */
export const User = defineModel({
  apiVersion: 'v1alpha1',
  kind: 'User',
  plural: 'users',
  spec: t.Object({ email: t.Optional(t.String()) }),
})
