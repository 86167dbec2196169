import { isLoopback } from '../base/loopback.ts'
import type { Config } from '../config/config.ts'
import { urlAt } from './own-url.ts'
import { wordsOf, type Check, type Finding } from './finding.ts'

const name = 'publicUrl'

type Checked = Pick<Config, 'server' | 'http' | 'tls'>

/** Whether people reach this installation at its public address, and can sign in there. */
export function publicUrlCheck(config: Checked): Check {
  const { server } = config
  const { publicUrl } = server
  return {
    name,
    run: async (signal) => {
      if (publicUrl === undefined) return [withoutUrl(server)]
      return [...settingFindings(config, new URL(publicUrl)), await reached(new URL(publicUrl), signal)]
    },
    lateAdvice: `curl -i ${publicUrl ?? ''}/readyz`,
  }
}

function withoutUrl({ host, port }: Config['server']): Finding {
  if (isLoopback(new URL(urlAt(host, port)))) {
    return { level: 'ok', name, words: `not set: people sign in from this machine only, at ${urlAt(host, port)}` }
  }
  return {
    level: 'warn',
    name,
    words: `not set, and the server listens on ${host}: nobody can sign in from another machine`,
    advice: 'set server.publicUrl to the address that people use, such as https://pergola.example.com',
  }
}

function settingFindings({ server, http, tls }: Checked, url: URL): readonly Finding[] {
  const isPlain = url.protocol === 'http:' && !isLoopback(url)
  if (isPlain && !server.allowInsecureLogin) {
    const advice = `set server.publicUrl: https://${url.host}, with TLS in a proxy or by tls.certFile; or server.allowInsecureLogin: true`
    return [{ level: 'failed', name, words: `${url.origin} is plain http, where nobody can sign in`, advice }]
  }
  if (url.protocol === 'https:' && tls.certFile === undefined && http.trustedProxies.length === 0) {
    const words = 'no proxy is trusted, so all requests seem to come from its address: failed logins count together'
    const advice = 'set http.trustedProxies to the addresses of the proxy, such as [10.0.0.0/8]'
    return [{ level: 'warn', name: 'proxies', words, advice }]
  }
  return []
}

async function reached(url: URL, signal: AbortSignal): Promise<Finding> {
  const advice = `curl -i ${url.origin}/readyz  shows what answers there`
  try {
    const response = await fetch(`${url.origin}/readyz`, { signal, redirect: 'manual' })
    await response.body?.cancel()
    if (response.headers.has('pergola-replica')) return { level: 'ok', name, words: `${url.origin} leads to a server` }
    const words = `${url.origin} answers ${response.status}, but not as a Pergola server does`
    return { level: 'failed', name, words, advice }
  } catch (error) {
    const words = `${url.origin} cannot be reached from here: ${wordsOf(error)}`
    const isCertificate = /certificate|self.signed/i.test(words)
    const trusting = 'set NODE_EXTRA_CA_CERTS=<file> to the certificate of the authority that signed it'
    return { level: 'warn', name, words, advice: isCertificate ? trusting : advice }
  }
}
