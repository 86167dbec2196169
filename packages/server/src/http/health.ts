import type { HealthFinding, RequestHead } from '@pergola/api'
import type { Answer, Caller } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import type { Log } from '../base/log.ts'

/** A finding with its English words. */
export type Finding = HealthFinding & { readonly detail: string }

/** One condition for this server to be usable: returns what it finds, or throws. */
export interface HealthCheck {
  readonly name: string
  readonly check: () => Promise<Finding>
  /** Does not log failures; they are logged elsewhere. */
  readonly isLogged?: boolean
}

export interface Health {
  readonly routes: readonly HostRoute[]
  /**
   * Answers before authentication, which needs the database: an outage of the database must neither get the process restarted
   * nor keep it from reporting that it is not ready.
   */
  readonly early: (request: RequestHead) => Promise<Answer> | undefined
  /** Runs all checks and returns their results. */
  readonly look: () => Promise<readonly CheckResult[]>
}

export interface HealthOptions {
  readonly checks: readonly HealthCheck[]
  /** Whether callers can be authenticated now. */
  readonly knowsCallers: () => boolean
  /** Whether the caller may `get` the non-resource URL `detailsPath`. */
  readonly maySeeDetails: (caller: Caller) => Promise<boolean>
  readonly log: Log
}

/** Not a served path: roles name it to allow the details of `/readyz?verbose`. */
export const detailsPath = '/readyz/verbose'

const livez = async () => text(200, 'ok\n')

/**
 * `/livez`: whether the process answers; checks nothing else. `/readyz`: whether to send requests here. `/readyz?verbose` lists
 * the checks, for people; only callers with a right to it see the details, which name the host and user of the database.
 */
export function createHealth({ checks, knowsCallers, maySeeDetails, log }: HealthOptions): Health {
  const failing = new Set<string>()
  const look = () => Promise.all(checks.map((check) => run(check, { failing, log })))
  const readiness: Readiness = async ({ verbose, details }) => {
    const results = await look()
    const failed = results.filter(({ ok }) => !ok)
    const verdict = failed.length === 0 ? 'ready' : `not ready: ${failed.map(({ name }) => name).join(', ')}`
    const lines = results.map(({ name, ok, detail }) => {
      const line = `${ok ? '[ok]    ' : '[failed]'} ${name}`
      return details ? `${line.padEnd(20)} ${detail}` : line
    })
    return text(failed.length === 0 ? 200 : 503, `${(verbose ? [...lines, verdict] : [verdict]).join('\n')}\n`)
  }
  return {
    routes: healthRoutes(readiness, maySeeDetails),
    early: ({ method, target, headers }) => {
      if ((method !== 'GET' && method !== 'HEAD') || headers['upgrade'] !== undefined) return undefined
      if (target === '/livez') return livez()
      if (target === '/readyz') return readiness({ verbose: false, details: false })
      if (target === '/readyz?verbose' && !knowsCallers()) return readiness({ verbose: true, details: false })
      return undefined
    },
    look,
  }
}

type CheckResult = Finding & { readonly name: string; readonly ok: boolean }

/** A failed check with its own code. */
export class HealthFault extends Error {
  override readonly name = 'HealthFault'
  readonly finding: HealthFinding

  constructor(finding: HealthFinding, detail: string) {
    super(detail)
    this.finding = finding
  }
}

type Readiness = (asked: Record<'verbose' | 'details', boolean>) => Promise<Answer>

function healthRoutes(readiness: Readiness, maySeeDetails: HealthOptions['maySeeDetails']): readonly HostRoute[] {
  const plain = { type: 'text/plain', schema: { type: 'string' } }
  const verbose = {
    name: 'verbose',
    description: `List every check; with details for callers whose roles allow \`get\` on \`${detailsPath}\`.`,
    schema: { type: 'string' },
  }
  return [
    {
      id: 'readLiveness',
      method: 'GET',
      path: '/livez',
      summary: 'Check that the process responds',
      isPublic: true,
      answers: [{ status: 200, description: 'The process responds.', ...plain }],
      handle: livez,
    },
    {
      id: 'readReadiness',
      method: 'GET',
      path: '/readyz',
      summary: 'Check that the replica accepts requests',
      isPublic: true,
      query: [verbose],
      answers: [
        { status: 200, description: 'The replica accepts requests.', ...plain },
        { status: 503, description: 'The replica does not accept requests; the response says why.', ...plain },
      ],
      handle: async ({ request, caller }) => {
        const isVerbose = request.query.has('verbose')
        return readiness({ verbose: isVerbose, details: isVerbose && (await maySeeDetails(caller)) })
      },
    },
  ]
}

interface Noted {
  /** Failed checks that have been logged. */
  readonly failing: Set<string>
  readonly log: Log
}

async function run({ name, check, isLogged = true }: HealthCheck, { failing, log }: Noted): Promise<CheckResult> {
  try {
    const found = await check()
    if (failing.delete(name)) log.info({ check: name }, 'ready again')
    return { name, ok: true, ...found }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    if (isLogged && !failing.has(name)) {
      failing.add(name)
      log.warn({ check: name, detail }, 'not ready')
    }
    const finding: HealthFinding = error instanceof HealthFault ? error.finding : { code: 'failed', values: { detail } }
    return { name, ok: false, detail, ...finding }
  }
}

function text(status: number, body: string): Answer {
  const headers = { 'cache-control': 'no-store' }
  return { status, contentType: 'text/plain; charset=utf-8', headers, body: Buffer.from(body) }
}
