import { setTimeout as sleep } from 'node:timers/promises'
import type { PluginDefinition } from '@pergola/api'
import { expect, test } from 'vitest'
import { another, install, notesOf, notesPath, phaseIs, plugins } from './plugin.ts'
import { expectStatus } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

/** MiB; a plugin that does nothing holds half of it. */
const memoryLimit = 96
/** What leaks stops by itself here, should nobody end it. */
const mostLeaked = 250 * 1024 * 1024
const others = 200
const lanes = 4
const inTime = { timeout: 60_000, interval: 50 }

const apiOf = (name: string, word: string) => `/apis/api.${name}.example.com/v1alpha1/${word}`
const definitionOf = (name: string): PluginDefinition =>
  another(name, {
    models: [notesOf(name)],
    routes: ['pid', 'harm'].map((word) => ({ audience: 'public', method: 'GET', path: apiOf(name, word) })),
  })

/** Tells its process, or does harm. */
const answering = (harm: string) => `(request, response) => {
  if (request.url.endsWith('/pid')) return response.setHeader('content-type', 'application/json').end(String(process.pid))
  console.log('harm begins')
  ${harm}
}`

interface Harm {
  readonly what: string
  readonly name: string
  /** What its API does. */
  readonly code: string
  readonly begin: (api: Api, name: string, pid: number) => Promise<void>
  /** What the status says. */
  readonly says: RegExp
}

/** By a request that nobody waits for; that it has begun is in the log of the plugin. */
const byItsApi: Harm['begin'] = async (api, name) => {
  void api.request('GET', apiOf(name, 'harm')).catch(() => {})
  const logs = async () => {
    const { body } = await api.request('GET', `/apis/console.api.platform.run/v1alpha1/plugins/${name}/logs`)
    return (body as { readonly items: readonly string[] }).items
  }
  await expect.poll(logs, inTime).toContain('harm begins')
}

const harms: readonly Harm[] = [
  {
    what: 'is killed',
    name: 'killed',
    code: '',
    begin: async (_, __, pid) => void process.kill(pid, 'SIGKILL'),
    says: /^it was ended by SIGKILL\b/,
  },
  {
    what: 'loops without end',
    name: 'looping',
    code: 'for (;;) {}',
    begin: byItsApi,
    says: /^it did not answer for 15 s\b/,
  },
  {
    what: 'leaks memory',
    name: 'leaking',
    code: `
      globalThis.kept = []
      setInterval(() => process.memoryUsage.rss() < ${mostLeaked} && kept.push(Buffer.alloc(4 * 1024 * 1024, 1)), 10)`,
    begin: byItsApi,
    says: new RegExp(`^it held \\d+ MiB of memory, and may hold ${memoryLimit}\\b`),
  },
]

onEachEngine(
  (api) => {
    for (const { what, name, code, begin, says } of harms) {
      test(`C8-379 beside a plugin that ${what} every request is answered; its status says so, and it comes back by itself`, async () => {
        const good = `beside-${name}`
        for (const one of [good, name]) {
          expectStatus(await install(api, { definition: definitionOf(one), answer: answering(code) }), 201)
          await phaseIs(api, { phase: 'Started' }, one)
        }
        const pidOf = async (plugin: string) => (await api.request('GET', apiOf(plugin, 'pid'))).body as number
        const [before, neighbour] = [await pidOf(name), await pidOf(good)]
        using watching = await api.watch(`${plugins}/${name}`)
        const states = () => watching.events.map(({ object }) => object?.status as State)
        /** From `BackingOff` on, as the plugin's status told it. */
        const after = () => states().slice(states().findIndex(({ reason }) => reason === 'BackingOff'))
        const isBack = () => states().some(isBackingOff) && after().some(({ phase }) => phase === 'Started')
        await begin(api, name, before)
        const answered = await askOthers(api, { good, name }, isBack)

        expect(answered.total).toBeGreaterThanOrEqual(others)
        expect(answered.refused).toEqual([])
        expect(after()[0]).toMatchObject({ phase: 'NotStarted', message: expect.stringMatching(says) as string })
        expect(await pidOf(good)).toBe(neighbour)
        await expect.poll(() => pidOf(name), inTime).toEqual(expect.any(Number))
        expect(await pidOf(name)).not.toBe(before)
      })
    }
  },
  { env: { PERGOLA_PLUGINS_MEMORY_LIMIT: String(memoryLimit) } },
)

interface State {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
}

const isBackingOff = ({ reason }: State) => reason === 'BackingOff'

/** Of the host, of another plugin and of the plugin's own model: 200 at least, and on until it is back. */
async function askOthers(
  api: Api,
  { good, name }: { readonly good: string; readonly name: string },
  isBack: () => boolean,
) {
  const asks = [
    { method: 'GET', path: '/api/v1alpha1/roles?size=5', status: 200 },
    { method: 'GET', path: apiOf(good, 'pid'), status: 200 },
    { method: 'GET', path: `${notesPath(good)}?size=5`, status: 200 },
    { method: 'POST', path: notesPath(good), status: 201 },
    { method: 'GET', path: `${notesPath(name)}?size=5`, status: 200 },
    { method: 'POST', path: notesPath(name), status: 201 },
  ]
  const refused: string[] = []
  let total = 0
  const lane = async () => {
    while (total < others || !isBack()) {
      const ask = asks[total++ % asks.length]
      if (!ask) return
      const { method, path, status } = ask
      const body = { metadata: { generateName: 'note-' }, spec: {} }
      const answer = await api.request(method, path, method === 'POST' ? { body } : {})
      if (answer.status !== status) refused.push(`${answer.status} ${method} ${path}: ${answer.text.slice(0, 200)}`)
      // The machine is to have time for the plugin, too.
      if (total >= others) await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { total, refused }
}
