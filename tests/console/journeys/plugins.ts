import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { brokenPages, failing, hostilePages, nextTodo, purchasing, scheduled, slowIndex } from '../packages.ts'
import type { Stage, Visitor } from '../stage.ts'
import { assertClean, makeTodo, todos } from './administration.ts'
import type { Journey } from './journey.ts'

const plugins = '/apis/plugin.platform.run/v1alpha1/plugins'
const books = '/apis/library.example.com/v1/books'
const bookCount = 2_000
const packages = '/apis/console.api.platform.run/v1alpha1/plugins/-/packages'

/** Whether the plugin exists already or not. */
export async function installPurchasing(stage: Stage): Promise<void> {
  await stage.api('POST', packages, await purchasing())
  await stage.until('purchases are served', async () =>
    stage.api('GET', '/apis/purchasing.example.com/v1/purchases').then(
      () => true,
      () => false,
    ),
  )
}

export async function upload({ page }: Visitor, bytes: Buffer): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'package.tgz', mimeType: 'application/gzip', buffer: bytes })
  const go = page.getByRole('button', { name: /^Install / })
  await go.waitFor()
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await go.click()
  await page.waitForURL(/\/console\/plugins\/(?!-)/)
}

async function fromMenu({ page }: Visitor, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: action }).click()
}

async function installed(stage: Stage, bytes: Buffer): Promise<void> {
  await stage.api('POST', `${packages}?approve=console-code`, bytes)
}

interface RestartedPlugin {
  readonly status?: { readonly replicas?: readonly { readonly phase: string; readonly restarts?: number }[] }
}

async function phaseIs(stage: Stage, plugin: string, wanted: string): Promise<void> {
  await stage.until(`${plugin} is ${wanted}`, async () => {
    const { status } = (await stage.api('GET', `${plugins}/${plugin}`)) as { status?: { phase?: string } }
    return status?.phase === wanted
  })
}

export const progress: Journey = {
  name: 'progress of index builds of a plugin, and a restart',
  run: async (stage) => {
    await installed(stage, await slowIndex('1.0.0'))
    await phaseIs(stage, 'library', 'Started')
    let next = 0
    const create = async () => {
      for (let at = next++; at < bookCount; at = next++) {
        await stage.api('POST', books, { metadata: { name: `book-${at}` }, spec: { text: 'x' } })
      }
    }
    await Promise.all(Array.from({ length: 16 }, create))
    await stage.api('PATCH', `${plugins}/library`, { spec: { enabled: false } })
    await phaseIs(stage, 'library', 'Disabled')
    await installed(stage, await slowIndex('1.1.0'))
    await using visitor = await stage.as('admin')
    const { page } = visitor
    await visitor.goTo('/plugins/library')
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('progressbar').waitFor()
    await page.getByText('running').first().waitFor()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await fromMenu(visitor, 'Restart')
    // Enabling counts as the first restart.
    await stage.until('it is restarted', async () => {
      const { status } = (await stage.api('GET', `${plugins}/library`)) as RestartedPlugin
      return status?.replicas?.every(({ phase, restarts }) => phase === 'Started' && restarts === 2) ?? false
    })
    assertClean(visitor)
  },
}

export const runNow: Journey = {
  name: 'a schedule is run before its time, by who may; its end is told',
  run: async (stage) => {
    await installed(stage, await scheduled())
    await phaseIs(stage, 'nightly', 'Started')
    await using visitor = await stage.as('admin')
    const { page } = visitor
    await visitor.goTo('/plugins/nightly')
    const schedules = page.getByRole('list', { name: 'Schedules' })
    const row = (name: string) => schedules.getByRole('listitem').filter({ hasText: name })
    await page.getByRole('button', { name: 'Run tidy now' }).click()
    await page.getByText('tidy has run').waitFor()
    await row('tidy')
      .getByText(/ago|now/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Run mail now' }).click()
    await page.getByText('mail failed: no mail server').waitFor()
    await row('mail').getByText('no mail server').waitFor()
    strictEqual(await page.getByRole('button', { name: 'Run mail now' }).isEnabled(), true)
    // Who may only look at plugins has no button.
    await using _reads = await annReadsPlugins(stage)
    await using ann = await stage.as('ann')
    await ann.goTo('/plugins/nightly')
    await ann.page.getByRole('list', { name: 'Schedules' }).getByText('tidy').waitFor()
    strictEqual(await ann.page.getByRole('button', { name: /^Run/ }).count(), 0)
    assertClean(visitor)
    assertClean(ann)
  },
}

const reading = [{ apiGroups: ['plugin.platform.run'], resources: ['plugins'], verbs: ['get', 'list', 'watch'] }]

/** Ann may look at plugins, and at nothing else of the host, until the result is disposed of. */
async function annReadsPlugins(stage: Stage): Promise<AsyncDisposable> {
  await stage.api('POST', '/api/v1alpha1/roles', { metadata: { name: 'plugin-reader' }, rules: reading })
  const binding = { metadata: { name: 'ann-plugin-reader' }, roleRef: { name: 'plugin-reader' } }
  await stage.api('POST', '/api/v1alpha1/rolebindings', { ...binding, subjects: [{ name: 'ann' }] })
  return {
    [Symbol.asyncDispose]: async () => {
      await stage.api('DELETE', '/api/v1alpha1/rolebindings/ann-plugin-reader')
      await stage.api('DELETE', '/api/v1alpha1/roles/plugin-reader')
    },
  }
}

export const limits: Journey = {
  name: 'limits of a plugin, beside what it uses; changed by who may',
  run: async (stage) => {
    await installed(stage, await scheduled())
    await phaseIs(stage, 'nightly', 'Started')
    await using visitor = await stage.as('admin')
    visitor.expectStatus(422)
    const { page } = visitor
    await visitor.goTo('/plugins/nightly')
    const memory = page.locator('.chart').filter({ hasText: 'Memory' }).locator('dd')
    const row = (limit: string) =>
      page.getByRole('region', { name: 'Limits on each server' }).getByRole('row').filter({ hasText: limit })
    await memory.getByText(/^[1-9]\d* of 128 MiB$/).waitFor()
    await row('Memory')
      .getByText(/^[1-9]\d* of 128 MiB$/)
      .waitFor()
    await row('Memory').getByText('configuration').waitFor()
    await row('Temporary files').getByText('at most 1,024 MiB').waitFor()
    await row('Processes').getByText('1 of 32').waitFor()
    const change = async (fill: Readonly<Record<string, string>>) => {
      await page.getByRole('button', { name: 'Change limits' }).click()
      for (const [field, text] of Object.entries(fill)) await page.getByRole('dialog').getByLabel(field).fill(text)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    }
    await change({ Memory: '7', Processes: '5' })
    await page.getByRole('dialog').locator('[aria-invalid=true]').waitFor()
    strictEqual(await page.getByRole('dialog').getByLabel('Memory').getAttribute('aria-invalid'), 'true')
    await page.getByRole('dialog').getByLabel('Memory').fill('256')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Limits of Nightly saved').waitFor()
    await row('Memory').getByText('set by an operator').waitFor()
    // The process that started since has the limit.
    await memory.getByText(/^[1-9]\d* of 256 MiB$/).waitFor()
    await row('Processes').getByText('1 of 5').waitFor()
    deepStrictEqual(await limitsOf(stage), { memory: 256, processes: 5 })
    await change({ Memory: '', Processes: '' })
    await row('Memory').getByText('configuration').waitFor()
    await memory.getByText(/ of 128 MiB$/).waitFor()
    deepStrictEqual(await limitsOf(stage), {})
    await using _reads = await annReadsPlugins(stage)
    await using ann = await stage.as('ann')
    await ann.goTo('/plugins/nightly')
    await ann.page.getByRole('heading', { name: 'Limits on each server' }).waitFor()
    strictEqual(await ann.page.getByRole('button', { name: 'Change limits' }).count(), 0)
    assertClean(visitor)
    assertClean(ann)
  },
}

async function limitsOf(stage: Stage): Promise<object | undefined> {
  const { spec } = (await stage.api('GET', `${plugins}/nightly`)) as { readonly spec: { readonly limits?: object } }
  return spec.limits
}

export const logs: Journey = {
  name: 'the log of a plugin: times, levels, search, new lines, and a copy of what is shown',
  run: async (stage) => {
    await installed(stage, await scheduled())
    await phaseIs(stage, 'nightly', 'Started')
    await using visitor = await stage.as('admin')
    const { page } = visitor
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await visitor.goTo('/plugins/nightly?tab=logs')
    const log = page.getByRole('log')
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/logs') && asked.push(new URL(request.url()).search))
    await stage.api('POST', `${packages.replace('/-/packages', '')}/nightly/run?schedule=shelves`)
    await log.getByText('tidied three shelves').waitFor()
    await log.getByText('Error: a shelf broke').waitFor()
    // Only new lines are asked for.
    await stage.until('the number of the last line is sent', async () => /after=[1-9]/.test(asked.at(-1) ?? ''))
    const rows = log.locator('.entry')
    match((await rows.last().locator('time').getAttribute('datetime')) ?? '', /^\d{4}-\d\d-\d\dT/)
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('shel')
    const count = async () => (await rows.allInnerTexts()).length
    await page.getByRole('button', { name: 'Errors' }).click()
    await log.getByText('tidied three shelves').waitFor({ state: 'detached' })
    // An error and its stack are one entry.
    strictEqual(await count(), 1)
    match(await rows.first().innerText(), /a shelf broke\s+at /)
    await page.getByRole('button', { name: 'Warnings' }).click()
    await log.getByText('one shelf is full').waitFor()
    strictEqual(await count(), 2)
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('SHELF IS')
    await log.getByText('a shelf broke').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Copy these lines' }).click()
    await page.getByText('1 line copied').waitFor()
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string
    match(copied, /^\d{4}-\S+Z \S+ warn .*one shelf is full$/)
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('nothing like it')
    await page.getByText('No line matches').waitFor()
    assertClean(visitor)
  },
}

export const contained: Journey = {
  name: 'a failing plugin is shown as failed and does not affect other pages',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    const { page } = visitor
    await visitor.goTo('/plugins/-/install')
    await upload(visitor, await failing())
    await page.getByText('it fails on purpose').first().waitFor()
    // It exits again and again, which its page counts.
    await page.getByRole('tab', { name: 'Overview' }).click()
    const exits = page.locator('.chart').filter({ hasText: 'Unexpected exits' }).locator('dd')
    await stage.until('the exits are counted', async () => Number(await exits.innerText()) > 0)
    await page.getByRole('tab', { name: 'Logs' }).click()
    await page.getByRole('log').getByText('about to fail').first().waitFor()
    await visitor.choose('Home')
    await page.getByRole('main').getByRole('link', { name: 'Failing', exact: true }).waitFor()
    await visitor.choose('Todos')
    await page.getByRole('link', { name: 'New todo' }).first().waitFor()
    await page.getByRole('link', { name: 'Plugins 1 failing' }).waitFor()
    assertClean(visitor)
  },
}

export const upgrade: Journey = {
  name: 'upgrade to a version with another page, and roll back',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    const { page } = visitor
    const entry = (title: string) => page.getByRole('navigation').getByRole('link', { name: title, exact: true })
    await visitor.goTo('/plugins/todo')
    await page.getByRole('main').getByRole('link', { name: 'Todos', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Upgrade', exact: true }).click()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'todo.tgz', mimeType: 'application/gzip', buffer: await nextTodo() })
    // Console code was approved with the first version: there is nothing to decide.
    await page.getByText('Nothing but its code.').waitFor()
    strictEqual(await page.getByRole('checkbox').count(), 0, 'a decision that was made before')
    await page.getByRole('button', { name: 'Upgrade to 1.1.0' }).click()
    await page.getByText('Todos is upgraded to 1.1.0').waitFor()
    await page.getByText('todo · 1.1.0').waitFor()
    await page.getByRole('tab', { name: 'Rights' }).click()
    await page.getByText('Runs its own code in the console.').waitFor()
    await entry('Todos to do').waitFor()
    await entry('Open todos').waitFor({ state: 'detached' })
    await visitor.choose('Todos to do')
    await page.getByRole('heading', { name: 'Todos to do' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Todos to do' }).waitFor()
    await visitor.goTo('/plugins/todo')
    await fromMenu(visitor, 'Roll back')
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByText('todo · 1.0.0').waitFor()
    await entry('Open todos').waitFor()
    await entry('Todos to do').waitFor({ state: 'detached' })
    assertClean(visitor)
  },
}

export const pluginPage: Journey = {
  name: 'a page of a plugin is live and has the rights of the viewer',
  run: async (stage) => {
    await using admin = await stage.as('admin')
    await using ann = await stage.as('ann')
    await ann.choose('Open todos')
    await ann.page.getByText('Nothing to do').waitFor()
    await admin.choose('Open todos')
    await makeTodo(stage, 'milk', { title: '<b id="bold">Buy milk</b>', due: '2036-12-01T10:00:00Z' })
    // Ann may only view todos; both users see the new one without a reload.
    await ann.page.getByRole('listitem').filter({ hasText: 'Buy milk' }).waitFor()
    strictEqual(await ann.page.getByRole('checkbox').count(), 0, 'a box that ann may not tick')
    strictEqual(await ann.page.locator('#bold').count(), 0, 'the value of a field has become markup')
    strictEqual(await ann.page.evaluate("getComputedStyle(document.querySelector('.frame li')).flexWrap"), 'wrap')
    await admin.page.getByRole('checkbox', { name: 'Buy milk' }).click()
    await ann.page.getByText('Nothing to do').waitFor()
    await admin.page.getByText('0 open').waitFor()
    await stage.api('DELETE', `${todos}/milk`)
    assertClean(admin)
    assertClean(ann)
  },
}

export const kept: Journey = {
  name: 'what was approved stays visible; a secret is stored without being shown',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    visitor.expectStatus(404)
    const { page } = visitor
    await visitor.goTo('/plugins/todo?tab=rights')
    await page.getByText('GET /apis/api.todo.example.com/v1alpha1/shares/{code}').waitFor()
    strictEqual(await page.getByText('Nothing was to be approved').count(), 0)
    await installPurchasing(stage)
    await visitor.goTo('/plugins/purchasing?tab=settings')
    strictEqual(await page.getByLabel('Limit').inputValue(), '24', 'a default that is not shown')
    await page.getByLabel('Token').fill('never to be seen')
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByText('Stored', { exact: false }).first().waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Replace' }).waitFor()
    strictEqual((await page.content()).includes('never to be seen'), false)
    assertClean(visitor)
  },
}

export const hostile: Journey = {
  name: 'hostile pages of a plugin do not affect the console',
  run: async (stage) => {
    await installed(stage, await hostilePages())
    await installed(stage, await brokenPages())
    await using visitor = await stage.as('admin')
    const { page } = visitor
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    await page.reload()
    await page.getByRole('navigation').getByRole('link', { name: 'Throws', exact: true }).waitFor()
    await visitor.choose('Users')
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
    // Its code runs with the user's rights, so it is loaded only when one of its pages is opened.
    const ofPlugins = () => loaded.filter((path) => /^\/plugins\/(hostile|broken)\//.test(path))
    deepStrictEqual(ofPlugins(), [])
    await visitor.choose('Throws')
    await page.getByText('this page throws').waitFor()
    match([...new Set(ofPlugins())].join(), /^\/plugins\/hostile\/[0-9a-f]+\/index\.js$/)
    await assertShellStands(visitor)
    await page.evaluate('window.wasNotReloaded = true')
    await page.getByRole('button', { name: 'Load the page again' }).click()
    await page.waitForFunction('window.wasNotReloaded === undefined')
    await page.getByText('this page throws').waitFor()
    await page.getByRole('link', { name: 'Logs of Hostile' }).click()
    await page.getByRole('heading', { name: 'Hostile', level: 1, exact: true }).waitFor()
    strictEqual(await page.getByRole('tab', { selected: true }).innerText(), 'Logs')
    await visitor.choose('Throws later')
    await page.getByRole('button', { name: 'Fail now' }).click()
    await page.getByText('this click throws').waitFor()
    await assertShellStands(visitor)
    await visitor.choose('Replaces')
    await page.getByRole('status').or(page.getByRole('alert')).getByText('A page of Hostile replaced').first().waitFor()
    await page.getByRole('button', { name: 'Replace more' }).click()
    await visitor.choose('Users')
    await page.getByRole('link', { name: 'ann', exact: true }).waitFor()
    strictEqual(await page.evaluate(`'everywhere' in {} || [1].map((one) => one + 1)[0] !== 2`), false)
    strictEqual(await page.evaluate(`JSON.parse('"abc"').includes('b')`), true)
    await assertShellStands(visitor)
    await stage.api('POST', '/api/v1alpha1/configmaps', { metadata: { name: anothers }, data: { limit: '7' } })
    await visitor.choose('Reaches out')
    deepStrictEqual(await attemptsOf(visitor), blocked('done'))
    await assertShellStands(visitor)
    // It has the rights of its user, and no more.
    await using ann = await stage.as('ann')
    await ann.choose('Reaches out')
    deepStrictEqual(await attemptsOf(ann), blocked('ApiError'))
    await stage.api('DELETE', `/api/v1alpha1/configmaps/${anothers}`)
    await visitor.choose('Never comes')
    await assertShellStands(visitor)
    await page.getByText('timed out', { exact: false }).waitFor()
    await visitor.choose('From elsewhere')
    await page.getByRole('alert').waitFor()
    await assertShellStands(visitor)
    await visitor.choose('Broken')
    await page.getByText('this module fails while it loads').waitFor()
    await visitor.choose('Home')
    await page.getByRole('main').getByRole('link', { name: 'Broken', exact: true }).waitFor()
    // The content security policy blocked requests to other origins and reported them; none was sent.
    const expected = /elsewhere\.example|Content Security Policy|^(Hostile|Broken) \w*Error: /
    const others = visitor.faults.filter((fault) => !expected.test(fault))
    strictEqual(others.join('; '), '')
  },
}

const anothers = 'settings-of-another'
const blocked = (settings: string) => [
  'client: TypeError',
  'code: EvalError',
  'cookie: Error',
  'fetch: TypeError',
  'picture: EncodingError',
  `settings: ${settings}`,
]

async function attemptsOf({ page }: Visitor): Promise<readonly string[]> {
  const lines = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem')
  await lines.nth(blocked('').length - 1).waitFor()
  return lines.allInnerTexts()
}

async function assertShellStands({ page }: Visitor): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).waitFor()
  const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  if (background === 'rgb(255, 0, 0)') throw new Error('styles of a plugin reach the whole page')
}

export const uninstall: Journey = {
  name: 'uninstall, with the counts of deleted objects',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    const { page } = visitor
    await visitor.goTo('/plugins/todo')
    await fromMenu(visitor, 'Uninstall')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Delete its data').check()
    await dialog
      .getByText(/\d+ todos/)
      .first()
      .waitFor()
    await dialog.getByRole('button', { name: 'Uninstall' }).click()
    await page.getByRole('heading', { name: 'Plugins', exact: true }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Todos' }).waitFor({ state: 'detached' })
    await page.getByRole('navigation').getByRole('link', { name: 'Open todos' }).waitFor({ state: 'detached' })
    await page.getByRole('navigation').getByRole('link', { name: 'Todos', exact: true }).waitFor({ state: 'detached' })
    assertClean(visitor)
  },
}
