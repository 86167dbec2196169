import { coreResources, isApiError, type ApiObject } from '@pergola/api'
import { isConnectionError, type Client } from '@pergola/client'
import type { Check, Finding } from '@pergola/server'
import type { CommandContext } from '../command-context.ts'
import { allOf } from '../server/all-of.ts'
import { clientOf } from '../server/connect.ts'
import { identityOf } from '../server/session.ts'
import { shortTime } from '../terminal/times.ts'
import { certificateFinding, modelFindings, pluginFindings, type ModelObject } from './checks.ts'
import { limitMs } from './run-checks.ts'

export interface Target {
  readonly url: string
  readonly token: string | undefined
  /** Options that name the server in a command; empty when it is the default. */
  readonly options: string
}

/** What a client finds at a server besides its readiness. */
export function serverChecks(context: CommandContext, target: Target): readonly Check[] {
  const { url } = target
  const named = { url, lateAdvice: 'see the log of the server' }
  return [
    ...(url.startsWith('https:')
      ? [{ ...named, name: 'certificate', run: (signal: AbortSignal) => certificate(url, signal) }]
      : []),
    { ...named, name: 'login', run: () => login(context, target) },
    { ...named, name: 'started', run: () => pluginStates(context, target) },
    { ...named, name: 'models', run: () => modelStates(context, target) },
  ]
}

async function certificate(url: string, signal: AbortSignal): Promise<readonly Finding[]> {
  const { certificateEnd } = await import('./certificate.ts')
  const { hostname, port } = new URL(url)
  const show = `openssl s_client -connect ${hostname}:${port || 443} </dev/null | openssl x509 -noout -issuer -dates`
  try {
    return [certificateFinding(await certificateEnd(url, signal), Date.now(), show)]
  } catch (error) {
    const words = `cannot be checked: ${(error as Error).message}`
    return [{ level: 'warn', name: 'certificate', words, advice: show }]
  }
}

async function login(context: CommandContext, target: Target): Promise<readonly Finding[]> {
  const { url, token } = target
  const isInsecure = target.options.includes('--insecure-http')
  const advice = `pergola login ${url}${isInsecure ? ' --insecure-http' : ''}`
  if (token === undefined) return [{ level: 'warn', name: 'login', words: 'not signed in to this server', advice }]
  try {
    const { username, expiresAt } = await identityOf(await client(context, target), token)
    const end = expiresAt === undefined ? '' : `, until ${shortTime(expiresAt)}`
    return [{ level: 'ok', name: 'login', words: `${username ?? 'signed in with a token'}${end}` }]
  } catch (error) {
    if (isUnavailable(error)) return [unchecked('login')]
    if (!isApiError(error)) throw error
    return [{ level: 'failed', name: 'login', words: error.message, advice }]
  }
}

async function pluginStates(context: CommandContext, target: Target): Promise<readonly Finding[]> {
  if (target.token === undefined) return []
  const { options } = target
  try {
    const plugins = await allOf((await client(context, target)).resource(coreResources.plugins).listAll())
    return pluginFindings(plugins, options)
  } catch (error) {
    if (isUnavailable(error)) return [unchecked('started')]
    if (!isApiError(error)) throw error
    if (error.status === 401) return []
    const advice = `pergola can-i list plugins${options}`
    return [{ level: 'warn', name: 'started', words: error.message, advice }]
  }
}

const models: {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly object?: ModelObject & ApiObject
} = { group: 'plugin.platform.run', version: 'v1alpha1', plural: 'models' }

/** Silent if models cannot be listed: the check of plugins has already reported that. */
async function modelStates(context: CommandContext, target: Target): Promise<readonly Finding[]> {
  if (target.token === undefined) return []
  try {
    const found = await allOf((await client(context, target)).resource(models).listAll())
    return modelFindings(found, target.options)
  } catch (error) {
    if (!isUnavailable(error) && !isApiError(error)) throw error
    return []
  }
}

/** The server itself is in trouble, which the check of its readiness reports: no login or right would help. */
function isUnavailable(error: unknown): boolean {
  return isConnectionError(error) || (isApiError(error) && error.status >= 500)
}

function unchecked(name: string): Finding {
  return { level: 'warn', name, words: 'not checked: the server cannot answer this now' }
}

function client({ version }: CommandContext, { url, token }: Target): Promise<Client> {
  return clientOf(version, { url, token }, { timeoutMs: limitMs - 100 })
}
