import { problems } from '@pergola/api'
import { toApiError } from '../call/problem-answer.ts'
import type { ProxyExchange, ProxiedAnswer } from '../call/proxied-answer.ts'
import type { AuditedRequest } from './request-audit.ts'

/** The status of a proxied answer is known when it begins. */
export function auditedProxy(answer: ProxiedAnswer, audited: AuditedRequest): ProxiedAnswer {
  return {
    ...answer,
    proxy: async (exchange) => {
      const begin: ProxyExchange['begin'] = (status, headers) => {
        audited.answered({ status })
        return exchange.begin(status, headers)
      }
      try {
        await answer.proxy({ ...exchange, begin })
      } catch (error) {
        const { reason } = toApiError(error)
        audited.failed(reason, problems[reason].status)
        throw error
      }
    },
  }
}
