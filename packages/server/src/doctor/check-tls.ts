import type { Configuration } from '../config/read-configuration.ts'
import type { Check, Finding } from './finding.ts'

const name = 'tls'
const soonMs = 14 * 86_400_000

/** The certificate of the server, if it has one. */
export function tlsChecks({ config, certificate }: Configuration): readonly Check[] {
  const { certFile = '' } = config.tls
  if (!certificate) return []
  const run = async (): Promise<readonly Finding[]> => {
    const { publicUrl } = config.server
    const host = publicUrl === undefined ? undefined : new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
    if (host !== undefined && !certificate.isFor(host)) {
      const words = `${certFile} is not for ${host}, the host of server.publicUrl`
      return [
        {
          level: 'failed',
          name,
          words,
          advice: `openssl x509 -in ${certFile} -noout -ext subjectAltName  shows its names`,
        },
      ]
    }
    return [endFinding(certFile, certificate.validTo)]
  }
  return [{ name, run }]
}

function endFinding(file: string, validTo: number): Finding {
  const left = validTo - Date.now()
  const words = `${file} ${left > 0 ? 'ends' : 'has ended'} on ${new Date(validTo).toISOString().slice(0, 10)}`
  if (left > soonMs) return { level: 'ok', name, words }
  const advice = 'replace tls.certFile and tls.keyFile; the server reads them again by itself'
  return { level: left > 0 ? 'warn' : 'failed', name, words, advice }
}
