import { createServer } from 'node:http'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { startInstallation, type Installation } from '../end-to-end/cli-installation.ts'
import { startPergola } from '../end-to-end/pergola-process.ts'
import { createVisitor, type Visitor } from './visitor.ts'

/**
 * The complete life of a plugin, as users experience it: packs, installs and grants it, uses every API, checks its
 * controllers, and uninstalls it. Runs on SQLite and PostgreSQL, or on one: `--engine=sqlite|postgresql`.
 */
const { values } = parseArgs({ options: { engine: { type: 'string' } } })
const engines = ['sqlite', 'postgresql'].filter((engine) => (values.engine ?? engine) === engine)
const example = resolve(import.meta.dirname, '../../examples/todo')
const todos = '/apis/todo.example.com/v1alpha1/todos'
const own = '/apis/uc.api.todo.example.com/v1alpha1/todos'
const title = (text: string) => ({ title: text, owner: 'ann' })

let passed = 0
let failed = 0
for (const engine of engines) {
  console.log(engine)
  await using database = engine === 'postgresql' ? await postgres() : undefined
  await using installation = await startInstallation(database ? { databaseUrl: database.url } : {})
  try {
    await walk(installation)
  } catch (error) {
    failed++
    console.log(`  FAILED    ${String(error)}\n${installation.server.stderr().split('\n').slice(-10).join('\n')}`)
  }
}
console.log(`\n${passed} of ${passed + failed} steps, ${engines.join(' and ')}`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

async function walk(installation: Installation): Promise<void> {
  const { done, run, folder, url } = installation
  await using webhook = await startWebhook()
  const file = await step('pack the plugin', async () => {
    await using packing = startPergola({ args: ['plugin', 'pack', '--out', folder], directory: example })
    equal(await packing.exited, 0, packing.stderr())
    return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no package')
  })
  const approved = await step('read what it asks for', async () => {
    const plan = await done(['plugin', 'install', file, '--plan'])
    return [...plan.matchAll(/--approve '([^']+)'/g)].flatMap(([, right = '']) => ['--approve', right])
  })
  const install = ['plugin', 'install', file, ...approved]
  await step('install it', async () => has(await done(install), 'started on 1 of 1'))
  await step('tell it where to send reminders', () => done(['plugin', 'settings', 'todo', `webhook=${webhook.url}`]))
  const ann = await step('add a user', async () => {
    await done(['user', 'add', 'ann', '--password-file', 'password'])
    return createVisitor(url, { username: 'ann', password: 'correct horse battery' })
  })
  await step('without a role it sees nothing', async () => equal((await ann.get(todos)).status, 403))
  await step('grant it the view', async () => {
    await done(['grant', 'ann', 'todo-view'])
    await until(async () => (await ann.get(todos)).status === 200)
    equal((await ann.post(todos, { metadata: { name: 'no' }, spec: title('no') })).status, 403)
  })
  const watching = await step('watch', () => ann.watch(todos))
  await step('create its own by the custom API', async () => {
    equal((await ann.post(own, { metadata: { name: 'own' }, spec: { title: 'own' } })).status, 201)
    await watching.until(({ object }) => object.metadata.name === 'own')
  })
  await step('grant the rest, and create by the generated API', async () => {
    await done(['grant', 'ann', 'todo-manage'])
    const body = { metadata: { name: 'due' }, spec: { ...title('due'), due: '2020-01-01T00:00:00Z' } }
    await until(async () => (await ann.post(todos, body)).status === 201)
  })
  await step('the controller reminds, and the watch shows its status', async () => {
    await watching.until(({ object }) => object.metadata.name === 'due' && object.status?.['remindedAt'] !== undefined)
    equal(webhook.titles().join(), 'due')
  })
  await step('a route of the plugin counts', async () => {
    const stats = await ann.get('/apis/console.api.todo.example.com/v1alpha1/todos/-/stats')
    equal(JSON.stringify(stats.body), '{"open":2,"done":0}')
  })
  await step('its logs are there', () => done(['plugin', 'logs', 'todo']))
  await step('disabled, its APIs are 503', async () => {
    await done(['plugin', 'disable', 'todo'])
    await until(async () => (await ann.get(todos)).status === 503)
  })
  await step('enabled, they answer again', async () => {
    await done(['plugin', 'enable', 'todo'])
    equal(await names(ann), 'due,own')
  })
  await step('uninstalled, its data is kept', async () => {
    has(await done(['plugin', 'uninstall', 'todo', '--yes']), 'it has left 2 todos')
    // The plugin's roles were deleted with it.
    await until(async () => (await ann.get(todos)).status === 403)
  })
  await step('installed again, it is there', async () => {
    await done(install)
    await done(['grant', 'ann', 'todo-view'])
    await until(async () => (await names(ann)) === 'due,own')
  })
  await step('purged, nothing is left', async () => {
    has(await done(['plugin', 'uninstall', 'todo', '--purge', '--yes']), 'plugin todo purged')
    equal((await run(['plugin', 'show', 'todo'])).code, 1)
    equal((await run(['get', 'roles', 'todo-view'])).code, 1)
    await done(install)
    equal((await done(['list', 'todos', '-o', 'name'])).trim(), '')
  })
}

async function names(visitor: Visitor): Promise<string> {
  const { body } = await visitor.get(`${todos}?sort=metadata.name,asc`)
  const { items = [] } = body as { readonly items?: readonly { readonly metadata: { readonly name: string } }[] }
  return items.map(({ metadata }) => metadata.name).join()
}

async function step<Done>(what: string, work: () => Promise<Done>): Promise<Done> {
  const began = performance.now()
  try {
    const outcome = await work()
    passed++
    console.log(`  ok  ${what.padEnd(60)} ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s`)
    return outcome
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function equal(found: unknown, wanted: unknown, why = ''): void {
  if (found !== wanted) throw new Error(`${String(found)} instead of ${String(wanted)} ${why}`)
}

function has(text: string, wanted: string): void {
  if (!text.includes(wanted)) throw new Error(`nothing says "${wanted}" in:\n${text}`)
}

/** Polls, because rights and phases take a moment to spread; fails after a minute. */
async function until(check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error('it did not come to that within a minute')
    await new Promise((resume) => setTimeout(resume, 50))
  }
}

/** The receiver of reminders. */
async function startWebhook() {
  const titles: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => {
      titles.push((JSON.parse(text) as { title: string }).title)
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    titles: () => titles,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function postgres() {
  await using started = new AsyncDisposableStack()
  const server = started.use(await startPostgres('18'))
  const { url } = started.use(await createDatabase(server.url))
  const running = started.move()
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
