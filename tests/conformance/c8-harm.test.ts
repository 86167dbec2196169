import { setTimeout as sleep } from 'node:timers/promises'
import type { PluginDefinition } from '@pergola/api'
import { expect, test } from 'vitest'
import { another, install, notesOf, notesPath, phaseIs, plugins } from './plugin.ts'
import { expectStatus } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

/** MiB; an idle plugin uses half of it. */
const memoryLimit = 96
/** The leak stops at this size when the host does not kill the plugin. */
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

/** Returns the process id, or runs the harmful code. */
const answering = (harm: string) => `(request, response) => {
  if (request.url.endsWith('/pid')) return response.setHeader('content-type', 'application/json').end(String(process.pid))
  console.log('harm begins')
  ${harm}
}`

interface Harm {
  readonly what: string
  readonly name: string
  /** The harmful code of its API. */
  readonly code: string
  readonly begin: (api: Api, name: string, pid: number) => Promise<void>
  /** The expected message in the status. */
  readonly says: RegExp
}

/** Sends a request without waiting for the response; the plugin's log shows when the harm starts. */
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
    says: new RegExp(`^it used \\d+ MiB of memory; the limit is ${memoryLimit}\\b`),
  },
]

onEachEngine(
  (api) => {
    for (const { what, name, code, begin, says } of harms) {
      test(`C8-379 while a plugin ${what}, all other requests are served; its status reports it, and it is restarted`, async () => {
        const good = `beside-${name}`
        for (const one of [good, name]) {
          expectStatus(await install(api, { definition: definitionOf(one), answer: answering(code) }), 201)
          await phaseIs(api, { phase: 'Started' }, one)
        }
        const pidOf = async (plugin: string) => (await api.request('GET', apiOf(plugin, 'pid'))).body as number
        const [before, neighbour] = [await pidOf(name), await pidOf(good)]
        using watching = await api.watch(`${plugins}/${name}`)
        const states = () => watching.events.map(({ object }) => object?.status as State)
        /** The plugin's statuses from `BackingOff` on. */
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

/**
 * Sends requests to the host, to another plugin and to the harmed plugin's own model: at least `others`, and until the plugin
 * is restarted.
 */
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
      // Leaves CPU time for the plugin.
      if (total >= others) await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { total, refused }
}
