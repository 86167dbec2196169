import { isApiError, type ApiObject } from '@pergola/api'
import type { CommandContext } from '../command-context.ts'
import { clientOf, chooseUrl, type ServerOptions } from '../server/connect.ts'
import { allOf } from '../server/all-of.ts'
import { identityOf } from '../server/session.ts'
import { CommandFault } from '../terminal/command-fault.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { shortTime } from '../terminal/times.ts'
import { shortened } from '../terminal/visible.ts'
import { plugins } from '../plugin/remote/plugin-object.ts'
import {
  certificateFinding,
  clockFinding,
  detailsFinding,
  modelFindings,
  pluginFindings,
  readinessFindings,
  versionFinding,
  type Finding,
  type ModelObject,
} from './checks.ts'

const timeoutMs = 20_000
const maxReasonLength = 120

export interface DoctorOptions extends ServerOptions {
  readonly output: Output
}

interface Target {
  readonly url: string
  readonly token: string | undefined
}

/** Checks a server and prints the findings, with advice on how to fix the problems. */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<ExitCode> {
  const { terminal } = context
  const target = await chooseUrl(context, options)
  const findings = [
    ...(await readiness(context, target)),
    ...(await certificate(target)),
    ...(await login(context, target)),
    ...(await pluginStates(context, target)),
    ...(await modelStates(context, target)),
  ]
  if (options.output === 'json') await printJson(terminal, { server: target.url, items: findings })
  else await terminal.print([`  ${target.url}`, ...findings.flatMap((finding) => findingLines(terminal, finding))])
  return findings.some(({ level }) => level === 'failed') ? exitCodes.failed : exitCodes.done
}

const colours = { ok: 'green', warn: 'yellow', failed: 'red' } as const

function findingLines({ paint }: Terminal, { level, name, words, advice }: Finding): readonly string[] {
  const line = `  ${paint(colours[level], level.padEnd(6))}  ${name.padEnd(12)}  ${words}`
  return [line, ...(advice === undefined ? [] : [`${' '.repeat(24)}${advice}`])]
}

async function readiness(context: CommandContext, { url, token }: Target): Promise<readonly Finding[]> {
  const sentMs = Date.now()
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(`${url}/readyz?verbose`, { headers, signal }).catch((cause: unknown) => {
    throw unreachable(url, cause)
  })
  const text = await response.text()
  const answeredMs = Date.now()
  // An expired token is rejected everywhere; anonymous callers get the basic checks.
  if (response.status === 401 && token !== undefined) return readiness(context, { url, token: undefined })
  const found = readinessFindings(text)
  if (found.length === 0) {
    const words = `returned status ${response.status} and a response that is not from Pergola`
    return [
      { level: 'failed', name: 'server', words, advice: 'check the URL; a proxy may respond instead of the server' },
    ]
  }
  const serverMs = Date.parse(response.headers.get('date') ?? '')
  const about = [token === undefined ? undefined : detailsFinding(text), versionFinding(text, context.version)]
  return [...found, ...about.filter((finding) => finding !== undefined), clockFinding({ serverMs, sentMs, answeredMs })]
}

function unreachable(url: string, cause: unknown): CommandFault {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : (cause as Error)
  const [first = ''] = inner.message.split('\n')
  const words = shortened(first || String((inner as NodeJS.ErrnoException).code), maxReasonLength)
  const isCertificate = /certificate|self.signed/i.test(words)
  const advice = isCertificate
    ? 'set NODE_EXTRA_CA_CERTS=<file> to the certificate of the authority that signed it'
    : 'check that the server is running, that the URL is right and that no firewall blocks it'
  return new CommandFault(`${url} cannot be reached: ${words}`, {
    exitCode: exitCodes.unreachable,
    lines: [`  ${advice}`],
  })
}

async function certificate({ url }: Target): Promise<readonly Finding[]> {
  if (!url.startsWith('https:')) return []
  const { certificateEnd } = await import('./certificate.ts')
  try {
    return [certificateFinding(await certificateEnd(url), Date.now())]
  } catch (error) {
    return [{ level: 'warn', name: 'certificate', words: `cannot be checked: ${(error as Error).message}` }]
  }
}

async function login({ version }: CommandContext, { url, token }: Target): Promise<readonly Finding[]> {
  const advice = `pergola login ${url}`
  if (token === undefined) return [{ level: 'warn', name: 'login', words: 'not signed in to this server', advice }]
  try {
    const { username, expiresAt } = await identityOf(await clientOf(version, { url, token }), token)
    const end = expiresAt === undefined ? '' : `, until ${shortTime(expiresAt)}`
    return [{ level: 'ok', name: 'login', words: `${username ?? 'signed in with a token'}${end}` }]
  } catch (error) {
    if (!isApiError(error)) throw error
    return [{ level: 'failed', name: 'login', words: error.message, advice }]
  }
}

async function pluginStates({ version }: CommandContext, { url, token }: Target): Promise<readonly Finding[]> {
  if (token === undefined) return []
  try {
    const client = await clientOf(version, { url, token })
    return pluginFindings(await allOf(client.resource(plugins).listAll()))
  } catch (error) {
    if (!isApiError(error)) throw error
    if (error.status === 401) return []
    return [{ level: 'warn', name: 'started', words: error.message, advice: 'pergola can-i list plugins' }]
  }
}

const models: {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly object?: ModelObject & ApiObject
} = { group: 'plugin.platform.run', version: 'v1alpha1', plural: 'models' }

/** Silent if models cannot be listed: the check of plugins has already reported the missing right. */
async function modelStates({ version }: CommandContext, { url, token }: Target): Promise<readonly Finding[]> {
  if (token === undefined) return []
  try {
    const client = await clientOf(version, { url, token })
    return modelFindings(await allOf(client.resource(models).listAll()))
  } catch (error) {
    if (!isApiError(error)) throw error
    return []
  }
}
