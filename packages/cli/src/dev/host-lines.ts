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
  /** The plugin under development. */
  readonly roles: () => PluginDefinition['roles']
  readonly failureOf: (requestId: string) => Promise<readonly string[] | undefined>
}

const warnings = new Set(['warn', 'error'])
/** Whether the command reports this fault itself, with a better message. */
const toldElsewhere = new Set(['upgrade abandoned', 'a plugin cannot be started'])

/** Selects the host's log lines that matter to a plugin author, and shortens them. */
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

/** Skips errors that the plugin's own output has already reported. */
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

/** Explains a denied request: who may not do what, and how to allow it. */
async function denialLines({ review, roles }: HostLinesOptions, line: HostLine): Promise<readonly string[]> {
  const { user, method = '', target = '', verb, reason } = line
  if (reason !== undefined && reason !== 'Forbidden') return [reason]
  if (user === undefined || user.startsWith('plugin:')) {
    return user === undefined ? [] : ['a plugin asks for more by permissions of definePlugin']
  }
  const info = requestInfo({ method, target, headers: {} })
  // Prints the plain line if the review fails.
  const found = await review(user, verb === undefined ? info : { ...info, verb }).catch(() => undefined)
  if (!found || found.allowed) return []
  const [may = ''] = found.text.split('; ')
  const template = narrowestRole(found.templates ?? [], roles())
  if (template === undefined) return [`${may}; no role template would allow it`]
  return [`${may}; role template ${template} would allow it`, `pergola grant ${user} ${template}`]
}

/** Hides rejected lease requests before the plugin is started: the process requests leases at once and retries. */
function isHandshake({ user = '', target = '', reason }: HostLine): boolean {
  return user.startsWith('plugin:') && target.startsWith('/pergola/') && reason === 'PluginNotStarted'
}

/** Hides the command's own polling. */
function isOwn({ user, method, target = '', status }: HostLine): boolean {
  return user === 'admin' && method === 'GET' && status === 200 && target.startsWith(`${pluginsPath}/`)
}
