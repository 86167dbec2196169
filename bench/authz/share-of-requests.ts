import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { openConnections } from '../http/connections.ts'
import { group, modelOf, personOf } from '../http/people.ts'
import { startProfiled, type Profiled } from '../measure/profiled.ts'
import { median, spread } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'

/** Limit in percent of the time of a request. */
const shareBar = 10
const callers = 8
const objects = 1_000
const password = 'correct horse battery'
/** Code of authentication and authorization. */
const folders = /\/packages\/server\/src\/(access|authn|credentials)\//

/**
 * Share of authentication and authorization in a get, with a personal access token and with a session cookie. In the server's
 * profile, every sample with a function of these parts on its stack counts, including their callees; compared with the CPU
 * time of the thread, without the database and without waiting.
 */
export const shareOfRequests: Part = async ({ quick }) => {
  const rounds = quick ? 3 : 7
  const requests = quick ? 10_000 : 30_000
  await using server = await startPostgres('18', { durable: true })
  await using database = await createDatabase(server.url)
  await using profiled = await startProfiled(database.url)
  const credentials = await prepare(profiled.url, profiled.setupSecret ?? '')
  using connections = await openConnections(profiled.url, callers)
  const get = (header: string) => async (at: number) => {
    const path = `/apis/${group}/v1/people/p-${(at * 7919) % objects}`
    const status = await connections.send(Buffer.from(`GET ${path} HTTP/1.1\r\nhost: x\r\n${header}\r\n\r\n`))
    if (status !== 200) throw new Error(`a get was answered ${status}`)
  }
  const shares = new Map(credentials.map(({ name }) => [name, [] as number[]]))
  const times = new Map(credentials.map(({ name }) => [name, [] as number[]]))
  for (const { header } of credentials) await many(requests / 2, get(header))
  for (let round = 0; round < rounds; round++) {
    for (const { name, header } of credentials) {
      const used = await profiled.during(() => many(requests, get(header)))
      shares.get(name)?.push((100 * microsecondsIn(used)) / used.cpu)
      times.get(name)?.push(used.cpu / requests)
    }
  }
  console.log()
  row('% of the CPU of a get', ['share', 'spread', 'bar', 'µs a get'])
  const short: string[] = []
  for (const { name } of credentials) {
    const found = shares.get(name) ?? []
    const share = median(found)
    row(name, [share.toFixed(1), spread(found), `<= ${shareBar}`, median(times.get(name) ?? []).toFixed(0)])
    if (share > shareBar)
      short.push(`authentication and authorization take ${share.toFixed(1)} % of a get with ${name}`)
  }
  const shown = credentials.map(({ name }) => `${median(shares.get(name) ?? []).toFixed(1)} % with ${name}`)
  return { figure: `authentication and authorization are ${shown.join(', ')} of a get`, short }
}

async function many(count: number, operation: (at: number) => Promise<void>): Promise<void> {
  let next = 0
  const caller = async () => {
    while (next < count) await operation(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** Share of the samples with one of the parts on their stack. */
function microsecondsIn({ profile }: Profiled): number {
  const inside = new Set<number>()
  // Parents precede their children.
  for (const { id, callFrame, children = [] } of profile.nodes) {
    if (folders.test(callFrame.url)) inside.add(id)
    if (inside.has(id)) for (const child of children) inside.add(child)
  }
  const { samples = [], timeDeltas = [] } = profile
  return samples.reduce((sum, id, at) => sum + (inside.has(id) ? (timeDeltas[at] ?? 0) : 0), 0)
}

interface Credential {
  readonly name: string
  readonly header: string
}

/** Objects to get, and a user with several roles, one of which allows it, with a token and a session. */
async function prepare(url: string, setupSecret: string): Promise<readonly Credential[]> {
  const post = async (path: string, body: object, header: Record<string, string> = {}) => {
    const headers = { 'content-type': 'application/json', origin: url, ...header }
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return { headers: response.headers, token: ((await response.json()) as { token: string }).token }
  }
  const signIn = (username: string, transport: string) => post('/auth/sessions', { username, password, transport })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  await post('/auth/setup', { secret: setupSecret, username: 'admin', password })
  const admin = bearer((await signIn('admin', 'token')).token)
  await post('/apis/plugin.platform.run/v1alpha1/models', modelOf('people', 'Person'), admin)
  for (let at = 0; at < objects; at++) await post(`/apis/${group}/v1/people`, personOf(at), admin)
  await post('/api/v1alpha1/users', { metadata: { name: 'ann' } }, admin)
  for (const plural of ['people', 'places', 'things', 'pages']) {
    const rules = [{ apiGroups: [group], resources: [plural, `${plural}/status`], verbs: ['get', 'list'] }]
    await post('/api/v1alpha1/roles', { metadata: { name: `${plural}-view` }, rules }, admin)
    const roleRef = { name: `${plural}-view` }
    await post(
      '/api/v1alpha1/rolebindings',
      { metadata: { name: plural }, roleRef, subjects: [{ name: 'ann' }] },
      admin,
    )
  }
  await fetch(`${url}/api/v1alpha1/users/ann/password`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...admin },
    body: JSON.stringify({ password }),
  })
  const { token: session } = await signIn('ann', 'token')
  const { token } = await post('/apis/uc.api.platform.run/v1alpha1/personalaccesstokens', {}, bearer(session))
  const [cookie = ''] = (await signIn('ann', 'cookie')).headers.getSetCookie()
  // Waits until the binding takes effect.
  const mayGet = async () => (await fetch(`${url}/apis/${group}/v1/people/p-0`, { headers: bearer(token) })).ok
  while (!(await mayGet())) await sleep(20)
  return [
    { name: 'a personal access token', header: `authorization: Bearer ${token}` },
    { name: 'a session in a cookie', header: `cookie: theme=dark; ${cookie.split(';')[0]}` },
  ]
}

function row(name: string, cells: readonly string[]): void {
  console.log(name.padEnd(34) + cells.map((cell) => cell.padStart(16)).join(''))
}
