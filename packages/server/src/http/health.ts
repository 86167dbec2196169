import type { Answer, Handler } from '../base/call.ts'

/** One thing that must hold for this server to be of use; throws when it does not. */
export interface HealthCheck {
  readonly name: string
  readonly check: () => Promise<string>
}

/** The process answers: nothing else is asked, so that a database outage does not get it restarted. */
export const livez: Handler = async () => text(200, 'ok\n')

/** Whether to send requests here. `?verbose` lists the checks, for people. */
export function createReadyz(checks: readonly HealthCheck[]): Handler {
  return async ({ request }) => {
    const results = await Promise.all(checks.map(run))
    const failed = results.filter(({ ok }) => !ok)
    const verdict = failed.length === 0 ? 'ready' : `not ready: ${failed.map(({ name }) => name).join(', ')}`
    const lines = results.map(({ name, ok, detail }) => `${ok ? '[ok]    ' : '[failed]'} ${name.padEnd(10)} ${detail}`)
    const shown = request.query.has('verbose') ? [...lines, verdict] : [verdict]
    return text(failed.length === 0 ? 200 : 503, `${shown.join('\n')}\n`)
  }
}

async function run({ name, check }: HealthCheck) {
  try {
    return { name, ok: true, detail: await check() }
  } catch (error) {
    return { name, ok: false, detail: error instanceof Error ? error.message : String(error) }
  }
}

function text(status: number, body: string): Answer {
  const headers = { 'cache-control': 'no-store' }
  return { status, contentType: 'text/plain; charset=utf-8', headers, body: Buffer.from(body) }
}
