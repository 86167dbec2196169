import type { Check, Finding } from '@pergola/server'
import { CommandFault } from '../terminal/command-fault.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { shortened } from '../terminal/visible.ts'
import { clockFinding, detailsFinding, readinessFindings, versionFinding } from './checks.ts'
import type { Target } from './server-checks.ts'

const maxReasonLength = 120
const name = 'server'

export interface ReadinessOptions {
  /** Of this command. */
  readonly version: string
  /** Whether a server that cannot be reached is a finding among others, or the end. */
  readonly goesOn: boolean
}

/** Readiness by two requests at once: that for details needs the database, the other is answered whatever hangs. */
export function readinessCheck(target: Target, options: ReadinessOptions): Check {
  return {
    name,
    run: async (signal) => {
      const verbose = ask(target, { path: '/readyz?verbose', signal })
      // Its deadline is this one's; the short answer is used then.
      verbose.catch(() => {})
      const { url } = target
      const plain = await ask({ ...target, token: undefined }, { path: '/readyz', signal }).catch(
        (cause: unknown) => cause,
      )
      if (plain instanceof Error) return failed(url, plain, options)
      const soon = AbortSignal.any([signal, AbortSignal.timeout(detailsMs)])
      const detailed = await Promise.race([verbose, aborted(soon)]).catch(() => undefined)
      return findingsOf(target, { plain: plain as Answer, detailed }, options)
    },
    lateAdvice: `curl -m 5 ${target.url}/livez  shows whether its process answers at all`,
  }
}

/** Leaves time before the deadline of the check. */
const detailsMs = 1_500

interface Answer {
  readonly status: number
  readonly text: string
  readonly sentMs: number
  readonly answeredMs: number
  readonly serverMs: number
  readonly isAnonymous: boolean
}

async function ask(
  { url, token }: Target,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<Answer> {
  const sentMs = Date.now()
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(url + path, { headers, signal })
  const text = await response.text()
  // An expired token is rejected everywhere; anonymous callers get the basic checks.
  if (response.status === 401 && token !== undefined) {
    return ask({ url, token: undefined, options: '' }, { path, signal })
  }
  const serverMs = Date.parse(response.headers.get('date') ?? '')
  return { status: response.status, text, sentMs, answeredMs: Date.now(), serverMs, isAnonymous: token === undefined }
}

function findingsOf(
  target: Target,
  { plain, detailed }: { readonly plain: Answer; readonly detailed: Answer | undefined },
  { version }: ReadinessOptions,
): readonly Finding[] {
  const found = detailed === undefined ? [] : readinessFindings(detailed.text, target.options)
  if (found.length === 0 && !/^(not )?ready\b/.test(plain.text)) {
    const words = `returned status ${plain.status} and a response that is not from Pergola`
    const advice = `curl -i ${target.url}/readyz  shows what answers there; check the URL, and the proxy`
    return [{ level: 'failed', name, words, advice }]
  }
  const clock = clockFinding(plain)
  if (!detailed || found.length === 0) return [shortFinding(plain.text), clock]
  const about = [
    detailed.isAnonymous ? undefined : detailsFinding(detailed.text),
    versionFinding(detailed.text, version),
  ]
  return [...found, ...about.filter((finding) => finding !== undefined), clock]
}

/** From the answer without details, while that with details hangs. */
function shortFinding(text: string): Finding {
  const [line = ''] = text.split('\n')
  if (line === 'ready') {
    const words = 'ready, but the request for details got no answer in time'
    return { level: 'warn', name, words, advice: 'see the log of the server: its database may be slow' }
  }
  const advice = 'see the log of the server; on its machine: pergola doctor --config <its configuration file>'
  return { level: 'failed', name, words: line, advice }
}

function failed(url: string, cause: Error, { goesOn }: ReadinessOptions): readonly Finding[] {
  const inner = cause.cause instanceof Error ? cause.cause : cause
  const [first = ''] = inner.message.split('\n')
  const reason = shortened(first || String((inner as NodeJS.ErrnoException).code), maxReasonLength)
  const words = `${url} cannot be reached: ${reason}`
  const advice = /certificate|self.signed/i.test(reason)
    ? 'set NODE_EXTRA_CA_CERTS=<file> to the certificate of the authority that signed it'
    : 'check that the server is running, that the URL is right and that no firewall blocks it'
  if (goesOn) return [{ level: 'failed', name, words, advice }]
  throw new CommandFault(words, { exitCode: exitCodes.unreachable, lines: [`  ${advice}`] })
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new Error('aborted'))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
