import {
  conflict,
  controller,
  created,
  defineModel,
  definePlugin,
  isApiError,
  owned,
  roleTemplate,
  route,
  t,
  withDefault,
} from '@pergola/plugin-sdk'

const Event = defineModel({
  apiVersion: 'hall.example.com/v1',
  kind: 'Event',
  plural: 'events',
  spec: t.Object({ seats: t.Integer(), taken: withDefault(t.Integer(), 0) }),
  status: t.Object({ seen: t.Optional(t.Integer()) }),
  statusSubresource: true,
})

const Registration = defineModel({
  apiVersion: 'hall.example.com/v1',
  kind: 'Registration',
  plural: 'registrations',
  spec: t.Object({
    event: t.Ref(Event),
    owner: t.String(),
    seat: withDefault(t.Integer(), 0),
    address: t.Optional(t.Object({ city: t.Optional(t.String()) })),
    note: t.Optional(t.String()),
  }),
  indexes: ['spec.owner'],
})

const Receipt = defineModel({
  apiVersion: 'hall.example.com/v1',
  kind: 'Receipt',
  plural: 'receipts',
  spec: t.Object({ owner: t.String(), text: t.String() }),
  indexes: ['spec.owner'],
})

const Badge = defineModel({
  apiVersion: 'hall.example.com/v1',
  kind: 'Badge',
  plural: 'badges',
  spec: t.Object({ owner: t.Ref('users'), instead: t.Optional(t.Ref('hall.example.com/badges')) }),
  indexes: ['spec.owner'],
})

const look = roleTemplate('look', { displayName: 'See own receipts' })
const attend = roleTemplate('attend', { displayName: 'Attend events', dependencies: [look] })
const manage = roleTemplate('manage', { displayName: 'Manage events' })

/** One seat a call, and never more than there are. */
const book = route('POST /events/:name/seats', { allow: attend }, async ({ params, caller, client, batch }) => {
  for (;;) {
    const event = await client(Event).get(params.name)
    const { seats, taken } = event.spec
    if (taken >= seats) conflict('sold out')
    try {
      const [, { metadata }] = await batch([
        { verb: 'update', of: Event, object: { ...event, spec: { seats, taken: taken + 1 } } },
        {
          verb: 'create',
          of: Registration,
          object: { spec: { event: params.name, owner: caller.name ?? '', seat: taken } },
        },
      ])
      return created({ name: metadata.name })
    } catch (error) {
      if (!isApiError(error) || error.reason !== 'VersionConflict') throw error
    }
  }
})

const callersBatch = route('POST /events/-/callers-batch', { allow: attend }, async ({ caller }) => {
  const object = { metadata: { name: 'by-caller' }, spec: { seats: 1 } }
  const [event] = await caller.batch([{ verb: 'create', of: Event, object }])
  return { taken: event.spec.taken }
})

const mixed = route('POST /events/-/mixed', { allow: manage }, async ({ batch }) => {
  const event = (name: string) => ({
    verb: 'create' as const,
    of: Event,
    object: { metadata: { name }, spec: { seats: 1 } },
  })
  const note = (name: string) => ({
    verb: 'create' as const,
    of: Receipt,
    object: { metadata: { name }, spec: { owner: 'ann', text: 'x' } },
  })
  const results = await batch([event('zz'), note('mm'), event('aa'), note('bb')])
  return { names: results.map(({ metadata }) => metadata.name) }
})

const overview = route('GET /events/-/overview', { allow: manage }, async ({ caller, client }) => {
  const registrations = await client(Registration)
    .list({ expand: ['spec.event'] })
    .page(1, 20)
  const badges = await client(Badge)
    .list({ expand: ['spec.instead'] })
    .page(1, 20)
  const events = await client(Event)
    .list({ referrers: [[Registration, 'spec.event']] })
    .page(1, 20)
  // The caller may get users, the plugin may not.
  const owners = caller.client(Badge).list({ expand: ['spec.owner'] })
  return {
    through: await owners.page(1, 20).catch((error: unknown) => (isApiError(error) ? error.reason : 'other')),
    seats: registrations.items.map((one) => registrations.related(one, 'spec.event')?.spec.seats ?? 0),
    instead: badges.items.map((one) => [badges.related(one, 'spec.instead')].flat()[0]?.metadata.name ?? ''),
    registered: events.items.map(({ metadata }) => events.referrers(Registration, 'spec.event', metadata.name) ?? -1),
  }
})

const mark = route('POST /events/:name/seen', { allow: manage }, async ({ params, client }) => {
  await client(Event).updateStatus(params.name, (status) => ({ seen: (status?.seen ?? 0) + 1 }))
  return {}
})

let inside = 0
const turn = route('POST /events/-/turns', { allow: manage }, async ({ lease }) =>
  lease(
    'till',
    async ({ client, term }) => {
      const isAlone = ++inside === 1
      await client(Receipt).create({ owner: 'till', text: `${term}` })
      inside--
      return { isAlone, term }
    },
    { wait: '60s' },
  ),
)

const clash = route('POST /events/-/clash', { allow: manage }, async ({ lease }) => lease('sweep', async () => ({})))

const nested = route('POST /events/-/nested', { allow: manage }, async ({ lease }) =>
  lease('once', async () => lease('once', async () => ({}), { wait: '1s' })),
)

// oxlint-disable-next-line import/no-default-export -- a plugin is the default export of its entry
export default definePlugin({
  name: 'hall',
  models: [Registration, Event, Receipt, Badge],
  roles: [look, attend, manage],
  uc: [
    book,
    callersBatch,
    mixed,
    mark,
    overview,
    turn,
    clash,
    nested,
    owned(Registration, 'spec.owner', {
      allow: [
        { to: attend, verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'] },
        { to: manage, verbs: ['delete'] },
      ],
      readOnly: ['spec.seat', 'spec.address.city'],
    }),
    owned(Badge, 'spec.owner', { allow: [{ to: attend, verbs: ['get', 'list', 'watch', 'create'] }] }),
    owned(Receipt, 'spec.owner', { allow: [{ to: look, verbs: ['get', 'list', 'watch'] }] }),
  ],
  controllers: { sweep: controller(Receipt, async () => {}) },
})
