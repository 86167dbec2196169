import type { Plugin } from '@pergola/api'
import type { Finding } from '@pergola/server'
import { shortDuration } from '../terminal/times.ts'
import { stateWords } from '../plugin/remote/plugin-object.ts'
import { shortened } from '../terminal/visible.ts'

const widest = 200
const minuteMs = 60_000
const dayMs = 86_400_000

/** Parses the lines of `/readyz?verbose`: `[ok]     database    SQLite pergola.db`. */
export function readinessFindings(text: string, options = ''): readonly Finding[] {
  return text.split('\n').flatMap((line) => {
    const [, level = '', name = '', detail = ''] = /^\[(ok|failed)\] +(\S+) *(.*)$/.exec(line) ?? []
    if (level === '') return []
    return [readinessFinding(name, { isOk: level === 'ok', detail: shortened(detail, widest), options })]
  })
}

function readinessFinding(
  name: string,
  { isOk, detail, options }: { readonly isOk: boolean; readonly detail: string; readonly options: string },
): Finding {
  if (!isOk)
    return {
      level: 'failed',
      name,
      words: detail || 'the check failed without details',
      advice: failedAdvice(name, detail, options),
    }
  if (name === 'plugins' && detail.includes('plugins.isolation')) {
    const [set, own] = ['set plugins.isolation to auto or uid', 'so that each plugin gets an account of its own']
    const advice = detail.includes('running as root')
      ? `${set}, ${own}`
      : `run the server as root and ${set}, ${own}, or trust all of them`
    return { level: 'warn', name, words: detail, advice }
  }
  if (name === 'secrets' && /^\d+ secrets? needs? the key/.test(detail)) {
    const advice = 'add the missing keys to secrets.keys, and restart; pergola secrets keys prints the ids of key files'
    return { level: 'failed', name, words: detail, advice }
  }
  if (name === 'oidc' && detail.includes('do not exist')) {
    const advice = `create these roles, or correct roles of oidc.providers; pergola list roles${options} -o name  lists roles`
    return { level: 'warn', name, words: detail, advice }
  }
  if (name === 'database' && detail.includes('by polling')) {
    const advice = 'set database.directUrl to the address of PostgreSQL itself: a pooler does not pass notifications on'
    return { level: 'warn', name, words: detail, advice }
  }
  if (name === 'feed' && detail.includes('read from the database')) {
    const advice =
      'check that NATS is running, and check feed.natsUrl and its credentials; until then replicas read from the database'
    return { level: 'warn', name, words: detail, advice }
  }
  return { level: 'ok', name, words: detail || 'ok' }
}

function failedAdvice(name: string, detail: string, options: string): string {
  if (detail === '')
    return 'see the log of the server; on its machine: pergola doctor --config <its configuration file>'
  if (name === 'database') {
    if (detail.includes('schema')) return 'upgrade this server to the release that upgraded the database'
    if (detail.includes('full')) return 'free space on the disk of the database; the server continues by itself'
    if (detail.includes('read-only'))
      return 'check the rights to the SQLite file and its folder, or database.url: is it a standby?'
    return 'check database.url; PostgreSQL: is it running, and is the password right? SQLite: check the file, its folder and its disk'
  }
  if (name === 'plugins') return `wait until all plugins are started; pergola plugin list${options}  shows their states`
  return 'see the log of the server'
}

/** Reports that the signed-in caller may not see details: the database check always has a detail when it is ok. */
export function detailsFinding(text: string): Finding | undefined {
  if (!/^\[ok\] +database$/m.test(text)) return undefined
  const words = 'your roles do not allow the details of the checks, such as the version of the server'
  return { level: 'warn', name: 'details', words, advice: 'ask for a role that allows get on /readyz/verbose' }
}

/** Compares the server's version with the CLI's. The server reports it only to callers that may see details. */
export function versionFinding(text: string, own: string): Finding | undefined {
  const [, server] = /^\[ok\] +accepting +requests, by version ([^\s,]+)/m.exec(text) ?? []
  if (server === undefined) return undefined
  const name = 'version'
  if (server === own) return { level: 'ok', name, words: `${own}, the server's and this command's` }
  const isOther = server.split('.')[0] !== own.split('.')[0]
  return {
    level: isOther ? 'failed' : 'warn',
    name,
    words: `the server is ${server}, this command ${own}`,
    advice: `npm install --global pergola@${server}`,
  }
}

export interface ServerTime {
  /** From the `Date` header, with a resolution of one second. */
  readonly serverMs: number
  /** Local times before the request and after the response. */
  readonly sentMs: number
  readonly answeredMs: number
}

/** Clock difference, which makes sessions and tokens expire too early or too late. */
export function clockFinding({ serverMs, sentMs, answeredMs }: ServerTime): Finding {
  const name = 'clock'
  if (Number.isNaN(serverMs)) return { level: 'warn', name, words: 'the server sends no Date header' }
  const apart = Math.max(0, sentMs - (serverMs + 999), serverMs - answeredMs)
  if (apart < minuteMs / 2) return { level: 'ok', name, words: 'the same as on this machine' }
  const words = `${shortDuration(apart)} ${serverMs > answeredMs ? 'ahead of' : 'behind'} this machine's`
  return {
    level: apart > 5 * minuteMs ? 'failed' : 'warn',
    name,
    words,
    advice: 'timedatectl set-ntp true  on both machines',
  }
}

/** Checks when the server's certificate expires; `show` is the command that shows it. */
export function certificateFinding(validTo: number, now: number, show: string): Finding {
  const name = 'certificate'
  const left = validTo - now
  const day = new Date(validTo).toISOString().slice(0, 10)
  const advice = `renew it at its issuer:  ${show}`
  if (left <= 0) return { level: 'failed', name, words: `expired on ${day}`, advice }
  const words = `until ${day}, ${shortDuration(left)} from now`
  return left < 14 * dayMs ? { level: 'warn', name, words, advice } : { level: 'ok', name, words }
}

/** Reports enabled plugins that are not started. */
export function pluginFindings(plugins: readonly Plugin[], options = ''): readonly Finding[] {
  const bad = plugins.filter(({ spec, status = {} }) => spec.enabled && status.phase !== 'Started')
  if (bad.length === 0) {
    const running = plugins.filter(({ spec }) => spec.enabled).length
    return [
      { level: 'ok', name: 'started', words: `${running} of ${plugins.length} plugins run, the others are disabled` },
    ]
  }
  return bad.map(({ metadata, spec, status = {} }) => ({
    level: status.phase === 'Failed' || status.reason === 'BackingOff' ? 'failed' : 'warn',
    name: `plugin ${metadata.name}`,
    words: shortened(`${spec.version} is ${stateWords(status)}: ${status.message ?? 'no reason is given'}`, widest),
    advice: ['show', 'logs'].map((verb) => `pergola plugin ${verb} ${metadata.name}${options}`).join('; '),
  }))
}

export interface ModelObject {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly group: string; readonly plural: string }
  readonly status?: {
    readonly phase?: string
    readonly duplicates?: {
      readonly index: string
      readonly pairs: readonly { readonly value: string; readonly first: string; readonly second: string }[]
    }
  }
}

/** Reports models whose indexes are not ready; queries by these indexes are rejected. */
export function modelFindings(models: readonly ModelObject[], options = ''): readonly Finding[] {
  return models
    .filter(({ status }) => status?.phase !== 'Ready')
    .map(({ metadata, spec, status = {} }) => {
      const { phase = 'without a status', duplicates } = status
      const name = `model ${spec.plural}`
      const show = `pergola get models ${metadata.name}${options}`
      const [pair] = duplicates?.pairs ?? []
      if (phase !== 'DuplicateValues' || !pair) {
        return { level: 'warn', name, words: `is ${phase}`, advice: `${show}  shows the progress` }
      }
      const both = `"${pair.first}" and "${pair.second}" have the same value, ${pair.value}`
      const words = shortened(`${duplicates?.index} cannot become unique: ${both}`, widest)
      return { level: 'failed', name, words, advice: `${show}  lists the duplicates; change or delete one of each` }
    })
}
