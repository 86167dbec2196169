import type { Page, Route } from 'playwright-core'
import { nextPurchasing, nextTodo } from './packages.ts'
import type { Stage } from './stage.ts'

/** A page, the name of its screenshot, and the steps before the screenshot. */
export interface Scene {
  readonly name: string
  readonly path: string
  readonly act?: (page: Page, stage: Stage) => Promise<void>
  /** On a tablet as well, where the menu shows only icons. */
  readonly tablet?: boolean
}

export const purchases = '/objects/purchasing.example.com/v1/purchases'
const sample = `${purchases}/purchase-07`
const guarded = `${purchases}/purchase-02`
const contested = `${purchases}/purchase-05`
const api = '/apis/purchasing.example.com/v1/purchases'
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click()
const button = (name: string) => (page: Page) => page.getByRole('button', { name }).click()

export const scenes: readonly Scene[] = [
  { name: 'home', path: '/home', act: (page) => page.getByText('Needs attention').waitFor(), tablet: true },
  { name: 'first-day', path: '/home', act: beAlone },
  { name: 'account-menu', path: '/home', act: openAccountMenu },
  { name: 'collapsed', path: purchases, act: collapse },
  { name: 'metrics', path: '/metrics' },
  { name: 'models', path: '/models' },
  { name: 'shortcuts', path: '/home', act: (page) => page.keyboard.press('?') },
  { name: 'search', path: '/home', act: searchDesks },
  { name: 'search-recent', path: sample, act: searchRecent },
  { name: 'objects', path: purchases, tablet: true },
  { name: 'skeleton', path: purchases, act: waitForRows },
  { name: 'todos', path: '/objects/todo.example.com/v1alpha1/todos' },
  { name: 'columns', path: purchases, act: button('Display') },
  { name: 'views', path: `${purchases}?where=spec.state%3Dordered`, act: saveView },
  { name: 'preview', path: `${purchases}?open=purchase-07`, tablet: true },
  { name: 'filter', path: purchases, act: openFilter },
  { name: 'filtered', path: `${purchases}?where=spec.requestedBy%3Dnobody` },
  { name: 'selected', path: purchases, act: selectTwo },
  { name: 'set-field', path: purchases, act: setField },
  { name: 'deleted', path: purchases, act: deleteTwo },
  { name: 'delete', path: guarded, act: deleteHeld },
  { name: 'away', path: purchases, act: goAway },
  { name: 'stopping', path: purchases, act: stopServer },
  { name: 'not-loaded', path: '/home', act: losePage },
  {
    name: 'empty',
    path: '/objects/yard.example.com/v1/deliveries',
    act: (page) => page.getByText('No deliveries yet').waitFor(),
  },
  { name: 'new-object', path: `${purchases}/-new` },
  { name: 'invalid', path: `${purchases}/-new`, act: createInvalid },
  { name: 'object', path: sample, tablet: true },
  { name: 'edited', path: sample, act: edit },
  { name: 'object-yaml', path: sample, act: tab('YAML') },
  { name: 'object-changes', path: contested, act: watchChange },
  { name: 'object-access', path: `${sample}?tab=access` },
  { name: 'conflict', path: contested, act: editTogether },
  { name: 'session-ended', path: sample, act: endSession },
  { name: 'missing-object', path: `${purchases}/nobody` },
  { name: 'users', path: '/users' },
  { name: 'new-user', path: '/users', act: button('New user') },
  { name: 'user', path: '/users/ann' },
  { name: 'roles', path: '/roles' },
  { name: 'new-role', path: '/roles/-new' },
  { name: 'role', path: '/roles/todo-manage' },
  { name: 'role-change', path: '/roles/front-desk', act: changeRole },
  { name: 'why', path: '/why?user=ann&deed=change&data=purchasing.example.com/purchases' },
  { name: 'plugins', path: '/plugins' },
  { name: 'plugin', path: '/plugins/todo' },
  { name: 'plugin-limits', path: '/plugins/todo', act: button('Change limits') },
  { name: 'plugin-rights', path: '/plugins/todo', act: tab('Rights') },
  { name: 'plugin-settings', path: '/plugins/purchasing', act: tab('Settings') },
  { name: 'failing-plugin', path: '/plugins/failing' },
  { name: 'plugin-logs', path: '/plugins/failing', act: tab('Logs') },
  { name: 'uninstall', path: '/plugins/failing', act: uninstall },
  { name: 'install', path: '/plugins/-/install' },
  { name: 'install-review', path: '/plugins/-/install', act: choosePackage },
  { name: 'upgrade-review', path: '/plugins/-/install', act: chooseUpgrade },
  { name: 'install-progress', path: '/plugins/-/install', act: startInstall },
  { name: 'plugin-page', path: '/p/todo' },
  { name: 'kit-list', path: '/objects/events.example.com/v1/events', act: seeEvents },
  { name: 'kit-page', path: '/p/events', act: seeEvents, tablet: true },
  { name: 'kit-selected', path: '/p/events', act: selectEvent },
  { name: 'kit-form', path: '/p/events', act: openEvent },
  { name: 'kit-invalid', path: '/p/events', act: createInvalidEvent },
  { name: 'plugin-page-stopped', path: '/p/todo', act: losePluginPage },
  { name: 'account', path: '/account' },
  { name: 'new-token', path: '/account', act: makeToken },
  { name: 'nothing', path: '/nowhere' },
]
/** The views of a user who may only read. */
export const looking: readonly Scene[] = [
  { name: 'read-only', path: sample },
  { name: 'read-only-list', path: purchases },
  { name: 'refused', path: '/plugins' },
]

async function selectTwo(page: Page): Promise<void> {
  await page.locator('h1').focus()
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByText('2 selected').waitFor()
}

async function changeRole(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /^Manage todos/ }).check()
  await page.getByRole('button', { name: 'Save role' }).click()
  await page.getByRole('dialog').locator('.group').first().waitFor()
}

async function saveView(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'View', exact: true })
  await menu.click()
  await page.getByRole('button', { name: 'Save as a view…' }).click()
  await page.getByLabel('Name of the view').fill('Ordered')
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('link', { name: 'Ordered' }).waitFor()
  await menu.click()
  await page.getByRole('button', { name: 'Copy link' }).waitFor()
}

async function seeEvents(page: Page): Promise<void> {
  await page.getByText('Harbour tour').first().waitFor()
}

async function selectEvent(page: Page): Promise<void> {
  await seeEvents(page)
  await page.locator('h1').focus()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  await page.getByText('1 selected').waitFor()
}

async function openEvent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Harbour tour' }).click()
  await page.getByRole('dialog').getByLabel('Seats').fill('14')
}

/** Errors of the server at their fields. */
async function createInvalidEvent(page: Page): Promise<void> {
  await seeEvents(page)
  await page.getByRole('button', { name: 'New event' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Title').first().fill('Winter ball')
  await form.getByLabel('Code').fill('NOT A CODE')
  await form.getByLabel('Seats').fill('0')
  await form.getByRole('button', { name: 'Create event' }).click()
  await form.locator('[aria-invalid=true]').first().waitFor()
}

async function setField(page: Page): Promise<void> {
  await selectTwo(page)
  await page.getByRole('toolbar').getByRole('button', { name: 'Set field' }).click()
  await page.getByRole('dialog').waitFor()
}

/** Restores the rights for the next scene. */
async function deleteTwo(page: Page): Promise<void> {
  await selectTwo(page)
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 purchases deleted').waitFor()
}

/** Something must happen to the object before it is gone, so there is no undo but a question. */
async function deleteHeld(page: Page, stage: Stage): Promise<void> {
  await stage.api('PATCH', `${api}/purchase-02`, { metadata: { finalizers: ['example.com/archive'] } })
  await page.getByText('example.com/archive', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: /^Delete/ }).click()
  await page.getByRole('dialog').waitFor()
}

async function goAway(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await page.getByText('Connection lost.').waitFor()
}

async function createInvalid(page: Page): Promise<void> {
  await page.getByLabel('Title').fill('x')
  await page.getByLabel('Amount').fill('-3')
  await page.keyboard.press('Control+S')
  await page.locator('[aria-invalid=true]').first().waitFor()
}

async function edit(page: Page): Promise<void> {
  await page.getByLabel('Amount').fill('8210')
  await page.getByLabel('Title').fill('Standing desks for Berlin')
}

async function endSession(page: Page): Promise<void> {
  const kept = await page.context().cookies()
  await edit(page)
  await page.context().clearCookies()
  await page.keyboard.press('Control+S')
  await page.getByRole('dialog').waitFor()
  await page.context().addCookies(kept)
}

async function uninstall(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Uninstall' }).click()
  await page.getByRole('dialog').waitFor()
}

async function openFilter(page: Page): Promise<void> {
  await page.keyboard.press('/')
  await page.keyboard.type('state')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByRole('option').first().waitFor()
}

async function searchDesks(page: Page): Promise<void> {
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog').getByRole('combobox').fill('standing')
  await page
    .getByRole('option', { name: /standing/i })
    .first()
    .waitFor()
}

/** Nothing is typed yet: recent pages, then the others and the actions. */
async function searchRecent(page: Page): Promise<void> {
  const paths = ['/users/bob', '/plugins/todo', purchases]
  for (const path of paths) {
    await page.goto(new URL(`/console${path}`, page.url()).href)
    const isNoted = `Object.values(localStorage).some((kept) => kept.includes('"${path}"'))`
    for (let tries = 0; tries < 600 && !(await page.evaluate(isNoted)); tries++) await page.waitForTimeout(100)
  }
  await page.goto(new URL(`/console${sample}`, page.url()).href)
  await page.locator('main h1').first().waitFor()
  await page.keyboard.press('Control+K')
  await page.getByRole('group', { name: 'Recent' }).waitFor()
}

/** A new installation: nobody but the administrator. */
async function beAlone(page: Page): Promise<void> {
  await page.route('**/api/v1alpha1/users?*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), total: 1 } })
  })
  await page.reload()
  await page.getByText('Next steps').waitFor()
}

async function openAccountMenu(page: Page): Promise<void> {
  if (await page.getByRole('button', { name: 'Menu', exact: true }).isVisible()) {
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
  }
  await page.locator('[data-user]').getByRole('button').first().click()
  await page.getByText('Sign out').waitFor()
}

async function collapse(page: Page): Promise<void> {
  const rail = page.getByRole('button', { name: 'Collapse the menu' })
  if (await rail.isVisible()) await rail.click()
}

const held: Route[] = []

/** Keeps requests without an answer. The browser would send them when it is no longer asked to hold them, so drop them before. */
async function hold(page: Page, pattern: string): Promise<void> {
  await page.route(pattern, (route) => void held.push(route))
}

export async function dropHeld(): Promise<void> {
  for (const route of held.splice(0)) await route.abort().catch(() => undefined)
}

/** The list has no answer yet. */
async function waitForRows(page: Page): Promise<void> {
  await hold(page, '**/purchases?*')
  await page.reload()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor()
}

async function stopServer(page: Page): Promise<void> {
  const problem = { type: 'about:blank', title: 'The server is stopping', status: 503, detail: '', reason: 'Draining' }
  await page.route('**/users/-/permissions', (route) =>
    route.fulfill({ status: 503, contentType: 'application/problem+json', json: problem }),
  )
  await page.getByText('The server is restarting.').waitFor()
}

/** The code of a page cannot be loaded. */
async function losePage(page: Page): Promise<void> {
  await page.route('**/assets/metrics-page*', (route) => route.abort())
  if (await page.getByRole('button', { name: 'Menu', exact: true }).isVisible()) {
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Metrics' }).click()
  await page.getByText('This page did not load').waitFor()
}

/** The files of a plugin cannot be had while it is stopped. */
async function losePluginPage(page: Page): Promise<void> {
  await page.route('**/plugins/todo/*/index.js', (route) => route.abort())
  await page.reload()
  await page.getByRole('alert').waitFor()
}

async function makeToken(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog').getByLabel('What it is for').fill('nightly export')
}

/** The first step never ends. */
async function startInstall(page: Page): Promise<void> {
  await choosePackage(page)
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await hold(page, '**/plugins/-/packages?approve*')
  await page.getByRole('button', { name: /^Install / }).click()
}

async function chooseUpgrade(page: Page): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'purchasing-1.5.0.tgz', mimeType: 'application/gzip', buffer: await nextPurchasing() })
  await page.getByRole('button', { name: /^Upgrade / }).scrollIntoViewIfNeeded()
}

let edits = 0
/** Two users change the same title; the second to save sees the conflict dialog. */
async function editTogether(page: Page, stage: Stage): Promise<void> {
  await page.getByLabel('Title').fill('Camera for the small room')
  await stage.api('PATCH', `${api}/purchase-05`, { spec: { title: `Camera for room ${++edits}` } })
  await page.getByText('Somebody saved this').waitFor()
  await page.keyboard.press('Control+S')
  await page.getByRole('dialog').waitFor()
}

async function watchChange(page: Page, stage: Stage): Promise<void> {
  await stage.api('PATCH', `${api}/purchase-05`, { spec: { title: `Camera for room ${++edits}` } })
  await page.getByRole('log').getByText('Changed').first().waitFor()
}

async function choosePackage(page: Page): Promise<void> {
  const buffer = await nextTodo({ name: 'todo-board' })
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'todo-board-1.1.0.tgz', mimeType: 'application/gzip', buffer })
  await page.getByRole('button', { name: /^Install / }).scrollIntoViewIfNeeded()
}

let strangers = 0
/** Another name each time: five failures lock a name. */
async function fail(page: Page): Promise<void> {
  await page.getByLabel('User name').fill(`stranger-${++strangers}`)
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('[aria-invalid=true]').waitFor()
}
export const opened: readonly Scene[] = [
  { name: 'login', path: '/login' },
  { name: 'login-wrong', path: '/login', act: fail },
]
