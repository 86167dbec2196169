import type { ResourceRequest } from '@pergola/api'
import { hostVersion } from '../base/host-version.ts'
import type { Traffic } from '../base/traffic.ts'
import type { Endpoint } from '../dispatch/endpoint.ts'
import { jsonAnswer } from '../models/json-answer.ts'

export interface OverviewParts {
  readonly traffic: Traffic
  /** Open watches, here. */
  readonly watches: () => number
  /** What `/readyz` asks. */
  readonly check: () => Promise<readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]>
}

/** `GET console.api.platform.run/v1alpha1/overview`: how the replica that answers is. */
export function createOverview(parts: OverviewParts): (request: ResourceRequest) => Endpoint | undefined {
  const startedAt = new Date().toISOString()
  const endpoint: Endpoint = {
    list: async () => {
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
  }
  return ({ group, version, resource, name, subresource }) => {
    const isOverview = group === 'console.api.platform.run' && version === 'v1alpha1' && resource === 'overview'
    return isOverview && name === undefined && subresource === undefined ? endpoint : undefined
  }
}
