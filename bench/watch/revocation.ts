import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { quantile } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'
import { group } from '../http/people.ts'
import { call, people, startHost, type Host } from './host.ts'
import { createUser } from './user.ts'

const bar = 250
const core = '/api/v1alpha1'

/** Delay until another replica enforces the revocation of a right or a credential. */
export const revocation: Part = async ({ quick }) => {
  const times = quick ? 20 : 100
  await using host = await startHost({ replicas: 2 })
  const ways = [
    { name: 'a binding is deleted', prepare: bound },
    { name: 'a token is deleted', prepare: withToken },
    { name: 'a session is ended', prepare: withSession },
  ]
  const short: string[] = []
  let worst = 0
  console.log('\nrevoked on one replica           request on the other p50/p99 ms    watch on the other p50/p99 ms')
  for (const { name, prepare } of ways) {
    const requests: number[] = []
    const watches: number[] = []
    for (let at = 0; at < times; at++) {
      const { token, takeBack } = await prepare(host)
      const lag = await lags(host, token, takeBack)
      requests.push(lag.request)
      watches.push(lag.watch)
    }
    const figures = [requests, watches].map((values) => {
      const sorted = values.toSorted((a, b) => a - b)
      return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
    })
    console.log(
      `  ${name.padEnd(30)}${figures.map(({ p50, p99 }) => `${p50.toFixed(0)} / ${p99.toFixed(0)}`.padStart(22)).join('          ')}`,
    )
    const p99 = Math.max(...figures.map((figure) => figure.p99))
    worst = Math.max(worst, p99)
    if (p99 > bar) short.push(`${name}: p99 ${p99.toFixed(0)} ms (bar ${bar})`)
  }
  return { figure: `rights and credentials end elsewhere within ${worst.toFixed(0)} ms p99`, short }
}

interface Prepared {
  readonly token: string
  /** Done on the first replica. */
  readonly takeBack: () => Promise<unknown>
}

const rules = [{ apiGroups: [group], resources: ['people'], verbs: ['watch', 'list'] }]

async function bound(host: Host): Promise<Prepared> {
  const [first = ''] = host.addresses
  const { session, binding } = await createUser(first, rules)
  return { token: session, takeBack: () => call(first, 'DELETE', `${core}/rolebindings/${binding}`) }
}

async function withToken(host: Host): Promise<Prepared> {
  const [first = ''] = host.addresses
  const { session } = await createUser(first, rules)
  const own = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
  const { body } = await call(first, 'POST', own, {}, session)
  const { name } = body['metadata'] as { name: string }
  return { token: String(body['token']), takeBack: () => call(first, 'DELETE', `${own}/${name}`, undefined, session) }
}

async function withSession(host: Host): Promise<Prepared> {
  const [first = ''] = host.addresses
  const { session } = await createUser(first, rules)
  return { token: session, takeBack: () => call(first, 'DELETE', '/auth/sessions/-', undefined, session) }
}

async function lags(
  { addresses: [, second = ''] }: Host,
  token: string,
  takeBack: () => Promise<unknown>,
): Promise<{ request: number; watch: number }> {
  const headers = { authorization: `Bearer ${token}` }
  const allowed = async () => (await fetch(`${second}${people}?size=1`, { headers })).ok
  while (!(await allowed())) await sleep(10)
  const watch = new WebSocket(`${second.replace(/^http/, 'ws')}${people}`, { headers })
  await new Promise((resolve, reject) => {
    watch.once('open', resolve)
    watch.once('error', reject)
  })
  const closed = new Promise<number>((resolve) => watch.once('message', () => resolve(performance.now())))
  await takeBack()
  const began = performance.now()
  while (await allowed()) await sleep(2)
  const request = performance.now() - began
  const ended = await Promise.race([closed, sleep(10_000).then(() => Number.POSITIVE_INFINITY)])
  watch.terminate()
  return { request, watch: Math.max(0, ended - began) }
}
