import type { ProxyExchange, ProxiedAnswer } from './proxied-answer.ts'

/** Counts the request as in flight until the plugin begins its answer or fails. */
export function releasedProxy(answer: ProxiedAnswer, release: () => void): ProxiedAnswer {
  return {
    ...answer,
    proxy: async (exchange) => {
      const begin: ProxyExchange['begin'] = (status, headers) => {
        release()
        return exchange.begin(status, headers)
      }
      try {
        await answer.proxy({ ...exchange, begin })
      } finally {
        release()
      }
    },
  }
}
