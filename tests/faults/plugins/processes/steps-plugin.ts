import { setTimeout as sleep } from 'node:timers/promises'
import { controller, defineModel, definePlugin, t } from '@pergola/plugin-sdk'

/** Duration of every call, whether the object needs a write or not. */
const workMs = 60

const Step = defineModel({
  apiVersion: 'steps.example.com/v1',
  kind: 'Step',
  plural: 'steps',
  spec: t.Object({ value: t.Integer() }),
  status: t.Object({
    generation: t.Optional(t.Integer()),
    value: t.Optional(t.Integer()),
    term: t.Optional(t.Integer()),
    process: t.Optional(t.Integer()),
  }),
  statusSubresource: true,
})

const follow = controller(
  Step,
  async (step, { client, term }) => {
    await sleep(workMs)
    const { generation, version: _, ...metadata } = step.metadata
    if (step.status?.generation === generation) return
    // Without a version check: only the lease keeps a former leader from writing.
    const unconditional = { ...step, metadata } as typeof step
    const status = { generation, value: step.spec.value, term, process: process.pid }
    await client(Step).updateStatus(unconditional, status)
  },
  { concurrency: 8 },
)

// oxlint-disable-next-line import/no-default-export -- a plugin is the default export of its entry
export default definePlugin({ name: 'steps', models: [Step], controllers: { follow } })
