import type { Reason, RequestInfo } from '@pergola/api'
import { histogram } from '../base/metrics.ts'

/** Maximum number of distinct names; further names, and paths that are not served, count as `other`. */
const mostResources = 500

/** Called with the outcome of a request and the time it began. */
export type MeasureRequest = (info: RequestInfo | undefined, status: number, startedAt: number) => void

/** Facts that are reported during a request. */
interface Observed {
  classified(info: RequestInfo): void
  answered(answer: { readonly status: number }): void
  failed(reason: Reason, status: number): void
}

/** Includes the current request. */
export function measured<Observer extends Observed>(observer: Observer, measure: MeasureRequest): Observer {
  const startedAt = performance.now()
  let asked: RequestInfo | undefined
  return {
    ...observer,
    classified: (info: RequestInfo) => {
      asked = info
      observer.classified(info)
    },
    answered: (answer: Parameters<Observer['answered']>[0]) => {
      measure(asked, answer.status, startedAt)
      observer.answered(answer)
    },
    failed: (reason: Reason, status: number) => {
      measure(asked, status, startedAt)
      observer.failed(reason, status)
    },
  }
}

export function createRequestMetrics(): MeasureRequest {
  const time = histogram('pergola_request_seconds')
  const served = new Set<string>()
  /** Clients must not be able to create new label values by sending new paths. */
  const resourceOf = (info: RequestInfo | undefined, status: number) => {
    if (info?.kind !== 'resource') return info ? 'path' : 'other'
    const { group, resource, subresource } = info
    const name = `${group}/${resource}${subresource === undefined ? '' : `/${subresource}`}`
    if (status < 300 && served.size < mostResources) served.add(name)
    return served.has(name) ? name : 'other'
  }
  return (info, status, startedAt) => {
    const labels = { verb: info?.verb ?? 'other', resource: resourceOf(info, status), status: String(status) }
    time((performance.now() - startedAt) / 1000, labels)
  }
}
