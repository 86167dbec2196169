import { requestInfo, type PluginDefinition, type RequestInfo, type Verb } from '@pergola/api'
import { faultLines } from './fault-lines.ts'
import { pluginsPath, type Review } from './host-api.ts'
import { narrowestRole } from './narrowest-role.ts'
import type { Tone } from './output.ts'

/** A line of the host's log. */
interface HostLine {
  readonly level: string
  readonly msg: string
  readonly plugin?: string
  readonly why?: string
  readonly waitMs?: number
  readonly err?: { readonly message?: string; readonly stack?: string }
  readonly requestId?: string
  readonly method?: string
  readonly target?: string
  readonly status?: number
  readonly user?: string
  readonly verb?: Verb
  readonly reason?: string
  readonly ms?: number
}

export interface HostLinesOptions {
  readonly folder: string
  readonly verbose: boolean
  readonly say: (who: string, lines: readonly string[], tone?: Tone) => void
  readonly review: (user: string, request: RequestInfo) => Promise<Review | undefined>
  /** Of the plugin that is being written. */
  readonly roles: () => PluginDefinition['roles']
  readonly failureOf: (requestId: string) => Promise<readonly string[] | undefined>
}

const warnings = new Set(['warn', 'error'])
/** Told by whoever waits for what was sent, in better words. */
const toldElsewhere = new Set(['upgrade abandoned', 'a plugin cannot be started'])

/** What the host logs, as far as whoever writes a plugin wants to read it. */
export function createHostLines(options: HostLinesOptions): (json: string) => void {
  const { verbose, say } = options
  return (json) => {
    const line = JSON.parse(json) as HostLine
    if (line.msg === 'request') void tellRequest(options, line)
    else if (toldElsewhere.has(line.msg)) return
    else if (line.plugin !== undefined && line.why !== undefined) say(line.plugin, endLines(line), 'bad')
    else if (warnings.has(line.level)) say('host', [line.msg, ...stackOf(line)], 'bad')
    else if (verbose) say('host', [line.msg], 'quiet')
  }
}

/** What it wrote last was told when it wrote it. */
function endLines({ why = '', waitMs }: HostLine): readonly string[] {
  const [first = ''] = why.split('\n')
  return [first, ...(waitMs === undefined ? [] : [`it is started again in ${Math.ceil(waitMs / 100) / 10} s`])]
}

function stackOf({ err }: HostLine): readonly string[] {
  return err ? (err.stack ?? err.message ?? '').split('\n') : []
}

async function tellRequest(options: HostLinesOptions, line: HostLine): Promise<void> {
  const { verbose, say, folder, failureOf } = options
  const { status = 0, user = 'nobody', method = '', target = '', requestId = '', reason, ms } = line
  const asked = `${status} ${user} ${method} ${target}`
  if (isHandshake(line)) return
  if (status >= 500) {
    const failure = await failureOf(requestId)
    const told = failure
      ? faultLines(failure.join('\n'), folder)
      : [...(reason === undefined ? [] : [reason]), ...stackOf(line)]
    say('http', [asked, ...told], 'bad')
  } else if (status === 403) say('http', [asked, ...(await denialLines(options, line))])
  else if (verbose && !isOwn(line)) say('http', [`${asked} ${ms ?? 0} ms`], 'quiet')
}

/** Who may not do what, and how that would change. */
async function denialLines({ review, roles }: HostLinesOptions, line: HostLine): Promise<readonly string[]> {
  const { user, method = '', target = '', verb, reason } = line
  if (reason !== undefined && reason !== 'Forbidden') return [reason]
  if (user === undefined || user.startsWith('plugin:')) {
    return user === undefined ? [] : ['a plugin asks for more by permissions of definePlugin']
  }
  const info = requestInfo({ method, target, headers: {} })
  // What cannot be explained is told all the same.
  const found = await review(user, verb === undefined ? info : { ...info, verb }).catch(() => undefined)
  if (!found || found.allowed) return []
  const [may = ''] = found.text.split('; ')
  const template = narrowestRole(found.templates ?? [], roles())
  if (template === undefined) return [`${may}; no role template would allow it`]
  return [`${may}; role template ${template} would allow it`, `pergola grant ${user} ${template}`]
}

/** A process asks for leases as soon as it runs; the host refuses until the plugin is started, and the process asks again. */
function isHandshake({ user = '', target = '', reason }: HostLine): boolean {
  return user.startsWith('plugin:') && target.startsWith('/pergola/') && reason === 'PluginNotStarted'
}

/** What this command itself asks for again and again. */
function isOwn({ user, method, target = '', status }: HostLine): boolean {
  return user === 'admin' && method === 'GET' && status === 200 && target.startsWith(`${pluginsPath}/`)
}
