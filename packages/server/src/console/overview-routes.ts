import type { HostRoute } from '../call/host-route.ts'
import type { HealthFinding } from '@pergola/api'
import { hostVersion } from '../base/host-version.ts'
import type { Traffic } from '../base/traffic.ts'
import { jsonAnswer } from '../call/json-answer.ts'

export interface OverviewParts {
  readonly traffic: Traffic
  /** Open watches on this replica. */
  readonly watches: () => number
  /** The checks of `/readyz`. */
  readonly check: () => Promise<
    readonly (HealthFinding & { readonly name: string; readonly ok: boolean; readonly detail: string })[]
  >
}

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const milliseconds = { type: 'number', minimum: 0 }
const schema = {
  type: 'object',
  required: ['version', 'startedAt', 'memoryBytes', 'watches', 'checks', 'traffic'],
  properties: {
    version: text,
    startedAt: { type: 'string', format: 'date-time' },
    memoryBytes: count,
    watches: count,
    checks: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'ok', 'code', 'values', 'detail'],
        properties: {
          name: text,
          ok: { type: 'boolean' },
          code: text,
          values: { type: 'object', additionalProperties: true },
          detail: text,
        },
      },
    },
    traffic: {
      type: 'object',
      required: ['everyMs', 'buckets'],
      properties: {
        everyMs: count,
        buckets: {
          type: 'array',
          items: {
            type: 'object',
            required: ['at', 'requests', 'failed'],
            properties: {
              at: { type: 'string', format: 'date-time' },
              requests: count,
              failed: count,
              p50: milliseconds,
              p99: milliseconds,
            },
          },
        },
      },
    },
  },
}

export function overviewRoutes(parts: OverviewParts): readonly HostRoute[] {
  const startedAt = new Date().toISOString()
  return [
    {
      id: 'readOverview',
      method: 'GET',
      path: '/apis/console.api.platform.run/v1alpha1/overview',
      summary: 'Read the state of the replica that responds',
      answers: [{ status: 200, description: 'Version, memory, health checks and recent traffic.', schema }],
      handle: async () => {
        const overview = {
          version: hostVersion,
          startedAt,
          memoryBytes: process.memoryUsage.rss(),
          watches: parts.watches(),
          checks: await parts.check(),
          traffic: parts.traffic.recent(),
        }
        return jsonAnswer(200, Buffer.from(JSON.stringify(overview)))
      },
    },
  ]
}
