import type { HostRoute } from '../call/host-route.ts'
import { jsonAnswer } from '../call/json-answer.ts'
import type { LiveReplica, Replicas } from '../store/replicas.ts'

export interface ReplicaParts {
  readonly replicas: Pick<Replicas, 'own' | 'list'>
  /** The number of plugins in each phase, by the id of the replica. */
  readonly phases: () => Promise<ReadonlyMap<string, object>>
}

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const rate = { type: 'number', minimum: 0 }
const schema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'name', 'version', 'startedAt', 'feedLagMs', 'leases', 'plugins'],
        properties: {
          id: {
            ...text,
            description: 'New with every start; its first 8 characters are in the header `Pergola-Replica`.',
          },
          name: { ...text, description: '`replica.name` of its configuration.' },
          version: text,
          startedAt: { type: 'string', format: 'date-time' },
          feedLagMs: { ...count, description: 'Milliseconds since it last proved that it has every committed change.' },
          leases: { type: 'array', items: text, description: 'The work that it does for all replicas.' },
          plugins: { type: 'object', additionalProperties: count, description: 'The number of plugins in each phase.' },
          uses: {
            type: 'object',
            description: 'What each plugin uses there, with rates of the last seconds.',
            additionalProperties: {
              type: 'object',
              required: ['memoryBytes', 'cpu', 'exits', 'openRequests', 'requestsPerSecond'],
              properties: {
                memoryBytes: count,
                processes: count,
                limits: {
                  type: 'object',
                  description: 'What its processes may use there; absent if none runs.',
                  required: ['memoryBytes', 'scratchBytes', 'processes'],
                  properties: { memoryBytes: count, scratchBytes: count, processes: count },
                },
                cpu: { ...rate, description: 'CPU seconds per second.' },
                exits: { ...count, description: 'Unexpected exits since the server started.' },
                openRequests: { ...count, description: 'Requests and streams that it has not finished answering.' },
                requestsPerSecond: rate,
                answerMs: { ...rate, description: 'Milliseconds until an answer began, on average.' },
              },
            },
          },
          isThis: { type: 'boolean', description: 'True for the replica that responds.' },
        },
      },
    },
  },
}

export function replicaRoutes({ replicas, phases }: ReplicaParts): readonly HostRoute[] {
  return [
    {
      id: 'listReplicas',
      method: 'GET',
      path: '/apis/console.api.platform.run/v1alpha1/replicas',
      summary: 'List the servers on this database',
      answers: [{ status: 200, description: 'By name; a server that missed two heartbeats is gone.', schema }],
      handle: async () => {
        const [live, plugins] = await Promise.all([replicas.list(), phases()])
        const items = live.map((replica) => ({
          ...replica,
          leases: replica.leases.filter(isWork),
          plugins: plugins.get(replica.id) ?? {},
          ...(replica.id === replicas.own && { isThis: true }),
        }))
        return jsonAnswer(200, Buffer.from(JSON.stringify({ items })))
      },
    },
  ]
}

/** Each replica holds one lease that names its keys; that is no work. */
function isWork(lease: LiveReplica['leases'][number]): boolean {
  return !lease.startsWith('sealing keys/')
}
