import type { Log } from '../base/log.ts'
import type { Certificate } from '../config/tls-certificate.ts'

/** Reads two small files. */
const everyMs = 10_000
const dayMs = 86_400_000
const soonMs = 14 * dayMs

export interface RenewalParts {
  /** Throws while the files do not fit together, such as between two writes. */
  readonly read: () => Certificate | undefined
  /** Uses the certificate for connections from now on. */
  readonly use: (certificate: Certificate) => void
  readonly log: Pick<Log, 'info' | 'warn'>
}

export interface Renewal extends Disposable {
  /** Reads the files now. */
  look(): void
}

/** Follows the files of the certificate; those that cannot be used are reported once, and the current certificate stays. */
export function renewCertificate(first: Certificate, parts: RenewalParts): Renewal {
  const { read, use, log } = parts
  let current = first
  let reported = ''
  const warnOfEnd = () => {
    if (current.validTo - Date.now() < soonMs)
      log.warn({ validTo: endOf(current) }, 'the certificate in tls.certFile ends soon, or has ended; renew it')
  }
  const look = () => {
    try {
      const found = read()
      reported = ''
      if (!found || (found.cert === current.cert && found.key === current.key)) return
      use(found)
      current = found
      log.info({ validTo: endOf(found) }, 'using the changed certificate for new connections')
      warnOfEnd()
    } catch (error) {
      const { message } = error as Error
      if (message !== reported)
        log.warn({ reason: message }, 'the changed certificate cannot be used; the current one stays')
      reported = message
    }
  }
  warnOfEnd()
  const timers = [setInterval(look, everyMs), setInterval(warnOfEnd, dayMs)]
  for (const timer of timers) timer.unref()
  return { look, [Symbol.dispose]: () => timers.forEach((timer) => clearInterval(timer)) }
}

function endOf({ validTo }: Certificate): string {
  return new Date(validTo).toISOString()
}
