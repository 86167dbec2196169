import { expect, test } from 'vitest'
import { createHostLines } from './host-lines.ts'
import type { Review } from './host-api.ts'

const roles = [
  { name: 'todo-manage', verbs: ['*' as const] },
  { name: 'todo-view', verbs: ['get' as const, 'list' as const] },
].map(({ name, verbs }) => ({
  apiVersion: 'v1alpha1' as const,
  kind: 'Role' as const,
  metadata: { name, labels: {}, annotations: {} },
  rules: [{ apiGroups: ['todo.example.com'], resources: ['todos'], verbs }],
}))
const templates = ['todo-manage', 'todo-view']
const denied: Review = {
  allowed: false,
  text: 'ann may not list todos in todo.example.com; nearest is nothing',
  templates,
}

function host({ verbose = false, review = denied }: { readonly verbose?: boolean; readonly review?: Review } = {}) {
  const said: string[] = []
  const lines = createHostLines({
    folder: '/home/ann/todo',
    verbose,
    say: (who, some) => said.push(`${who}: ${some.join(' | ')}`),
    review: async () => review,
    roles: () => roles,
    failureOf: async (id) => (id === 'r-1' ? ['Error: boom', '    at src/plugin.ts:4:2'] : undefined),
  })
  return { said, tell: (line: object) => lines(JSON.stringify({ level: 'info', ...line })) }
}

const target = '/apis/todo.example.com/v1alpha1/todos'
const request = { msg: 'request', method: 'GET', target, user: 'ann', requestId: 'r-1', ms: 3, verb: 'list' }

test('a denied request is shown with the narrowest role that would allow it and the grant command', async () => {
  const { said, tell } = host()
  tell({ ...request, status: 403, reason: 'Forbidden' })
  await expect
    .poll(() => said)
    .toEqual([
      `http: 403 ann GET ${target} | ann may not list todos in todo.example.com; role template todo-view would allow it | pergola grant ann todo-view`,
    ])
})

test('a denied request that no role would allow is shown without a role', async () => {
  const { said, tell } = host({ review: { ...denied, templates: [] } })
  tell({ ...request, status: 403, reason: 'Forbidden' })
  await expect.poll(() => said.join('')).toContain('; no role template would allow it')
  expect(said.join('')).not.toContain('pergola grant')
})

test('a request rejected for its origin is shown without a role', async () => {
  const { said, tell } = host()
  tell({ ...request, status: 403, reason: 'CrossSite' })
  await expect.poll(() => said).toEqual([`http: 403 ann GET ${target} | CrossSite`])
})

test('an error in the plugin is shown with its source position', async () => {
  const { said, tell } = host()
  tell({ ...request, status: 500 })
  tell({ ...request, status: 503, requestId: 'r-2', reason: 'PluginNotStarted' })
  // A starting plugin asks for its leases until it gets them.
  const lease = { method: 'PUT', target: '/pergola/leases/follow', user: 'plugin:todo', requestId: 'r-3' }
  tell({ ...request, ...lease, status: 503, reason: 'PluginNotStarted' })
  await expect
    .poll(() => said.toSorted())
    .toEqual([
      `http: 500 ann GET ${target} | src/plugin.ts:4 Error: boom`,
      `http: 503 ann GET ${target} | PluginNotStarted`,
    ])
})

test("verbose output shows all other requests except the command's own", async () => {
  const quiet = host()
  const verbose = host({ verbose: true })
  for (const { tell } of [quiet, verbose]) {
    tell({ ...request, status: 200 })
    tell({ ...request, status: 200, user: 'admin', target: '/apis/plugin.platform.run/v1alpha1/plugins/todo' })
    tell({ ...request, status: 401, user: undefined })
    tell({ msg: 'stopping' })
  }
  await expect
    .poll(() => verbose.said)
    .toEqual([`http: 200 ann GET ${target} 3 ms`, `http: 401 nobody GET ${target} 3 ms`, 'host: stopping'])
  expect(quiet.said).toEqual([])
})

test('warnings of the host and the exit of a plugin are shown; an abandoned upgrade is not', () => {
  const { said, tell } = host()
  tell({ level: 'warn', msg: 'something is odd', err: { stack: 'Error: odd\n    at x' } })
  tell({ level: 'warn', msg: 'upgrade abandoned', plugin: 'todo', why: 'x' })
  tell({
    level: 'warn',
    msg: 'plugin exited; restarting after backoff',
    plugin: 'todo',
    why: 'it ended with code 3\nlast words',
    waitMs: 500,
  })
  expect(said).toEqual([
    'host: something is odd | Error: odd |     at x',
    'todo: it ended with code 3 | it is started again in 0.5 s',
  ])
})
