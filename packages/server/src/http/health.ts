import type { Answer, Handler } from '../base/call.ts'
import type { Log } from '../base/log.ts'

/** One thing that must hold for this server to be of use: answers a detail for people, or throws. */
export interface HealthCheck {
  readonly name: string
  readonly check: () => Promise<string>
}

/** The process answers: nothing else is asked, so that a database outage does not get it restarted. */
export const livez: Handler = async () => text(200, 'ok\n')

/**
 * Whether to send requests here. `?verbose` lists the checks, for people; only callers that signed in see the details,
 * which name hosts and users. Why a check fails also goes to the log.
 */
export function createReadyz(checks: readonly HealthCheck[], log: Log): Handler {
  return async ({ request, caller }) => {
    const results = await runChecks(checks, log)
    const failed = results.filter(({ ok }) => !ok)
    const verdict = failed.length === 0 ? 'ready' : `not ready: ${failed.map(({ name }) => name).join(', ')}`
    const lines = results.map(({ name, ok, detail }) => {
      const line = `${ok ? '[ok]    ' : '[failed]'} ${name}`
      return caller.kind !== 'anonymous' ? `${line.padEnd(20)} ${detail}` : line
    })
    const shown = request.query.has('verbose') ? [...lines, verdict] : [verdict]
    return text(failed.length === 0 ? 200 : 503, `${shown.join('\n')}\n`)
  }
}

/** What came of each. */
export async function runChecks(checks: readonly HealthCheck[], log: Log): Promise<readonly CheckResult[]> {
  return Promise.all(checks.map((check) => run(check, log)))
}

export interface CheckResult {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

async function run({ name, check }: HealthCheck, log: Log): Promise<CheckResult> {
  try {
    return { name, ok: true, detail: await check() }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    log.warn({ check: name, detail }, 'not ready')
    return { name, ok: false, detail }
  }
}

function text(status: number, body: string): Answer {
  const headers = { 'cache-control': 'no-store' }
  return { status, contentType: 'text/plain; charset=utf-8', headers, body: Buffer.from(body) }
}
