import { controller, defineModel, definePlugin, schedule, t } from '@pergola/plugin-sdk'

const Lamp = defineModel({
  apiVersion: 'lamps.example.com/v1',
  kind: 'Lamp',
  plural: 'lamps',
  spec: t.Object({ color: t.String() }),
  status: t.Object({ color: t.Optional(t.String()) }),
  statusSubresource: true,
})

const follow = controller(
  Lamp,
  async (lamp, { client }) => {
    if (lamp.status?.color !== lamp.spec.color) await client(Lamp).updateStatus(lamp, { color: lamp.spec.color })
  },
  {
    deleted: async ({ metadata, spec }, { client }) => {
      await client(Lamp).create({ color: spec.color }, { name: `after-${metadata.name}` })
    },
  },
)

const count = schedule({ every: '1s' }, async ({ client }) => {
  await client(Lamp).create({ color: 'red' }, { generateName: 'counted-' })
})

const failing = schedule({ every: '1s' }, async () => {
  throw new Error('there is no current')
})

// oxlint-disable-next-line import/no-default-export -- a plugin is the default export of its entry
export default definePlugin({
  name: 'lamps',
  models: [Lamp],
  controllers: { follow },
  schedules: { count, failing, yearly: schedule({ cron: '0 0 1 1 *' }, async () => {}) },
})
