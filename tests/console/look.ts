import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { strictEqual } from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { nextTodo } from './packages.ts'
import { makeSampleData } from './sample-data.ts'
import { password, type BrowserOptions, type Stage, type Visitor } from './stage.ts'

/** A page, the name of its screenshot, and the steps before the screenshot. */
interface Scene {
  readonly name: string
  readonly path: string
  readonly act?: (page: Page, stage: Stage) => Promise<void>
  /** On a tablet as well, where the menu shows only icons. */
  readonly tablet?: boolean
}

const purchases = '/objects/purchasing.example.com/v1/purchases'
const sample = `${purchases}/purchase-07`
const contested = `${purchases}/purchase-05`
const api = '/apis/purchasing.example.com/v1/purchases'
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click()
const button = (name: string) => (page: Page) => page.getByRole('button', { name }).click()

const scenes: readonly Scene[] = [
  { name: 'home', path: '/home', act: (page) => page.getByText('Needs attention').waitFor(), tablet: true },
  { name: 'first-day', path: '/home', act: beAlone },
  { name: 'account-menu', path: '/home', act: openAccountMenu },
  { name: 'collapsed', path: purchases, act: collapse },
  { name: 'metrics', path: '/metrics' },
  { name: 'models', path: '/models' },
  { name: 'shortcuts', path: '/home', act: (page) => page.keyboard.press('?') },
  { name: 'search', path: '/home', act: searchDesks },
  { name: 'objects', path: purchases, tablet: true },
  { name: 'skeleton', path: purchases, act: waitForRows },
  { name: 'todos', path: '/objects/todo.example.com/v1alpha1/todos' },
  { name: 'columns', path: purchases, act: button('Display') },
  { name: 'preview', path: `${purchases}?open=purchase-07`, tablet: true },
  { name: 'filter', path: purchases, act: openFilter },
  { name: 'filtered', path: `${purchases}?where=spec.requestedBy%3Dnobody` },
  { name: 'selected', path: purchases, act: selectTwo },
  { name: 'set-field', path: purchases, act: setField },
  { name: 'deleted', path: purchases, act: deleteTwo },
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
  { name: 'why', path: '/why?user=ann&deed=change&data=purchasing.example.com/purchases' },
  { name: 'plugins', path: '/plugins' },
  { name: 'plugin', path: '/plugins/todo' },
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
  { name: 'plugin-page-stopped', path: '/p/todo', act: losePluginPage },
  { name: 'account', path: '/account' },
  { name: 'new-token', path: '/account', act: makeToken },
  { name: 'nothing', path: '/nowhere' },
]
/** The view of a user who may only read. */
const looking: Scene = { name: 'read-only', path: sample }

async function selectTwo(page: Page): Promise<void> {
  await page.locator('h1').focus()
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByText('2 selected').waitFor()
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
  await page.getByText('2 objects deleted').waitFor()
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
  const button = page.getByRole('button', { name: 'Collapse the menu' })
  if (await button.isVisible()) await button.click()
}

/** The list has no answer yet. */
async function waitForRows(page: Page): Promise<void> {
  await page.route('**/purchases?*', () => undefined)
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
  await page.route('**/plugins/-/packages?approve*', () => undefined)
  await page.getByRole('button', { name: /^Install / }).click()
}

async function chooseUpgrade(page: Page): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'todo-1.1.0.tgz', mimeType: 'application/gzip', buffer: await nextTodo() })
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

async function fail(page: Page): Promise<void> {
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('[aria-invalid=true]').waitFor()
}
const opened: readonly Scene[] = [
  { name: 'login', path: '/login' },
  { name: 'login-wrong', path: '/login', act: fail },
]

const looks: readonly (BrowserOptions & { readonly name: string })[] = [
  { name: 'light' },
  { name: 'dark', dark: true },
  { name: 'tablet-light', tablet: true },
  { name: 'phone-light', phone: true },
  { name: 'phone-dark', phone: true, dark: true },
]

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

export interface LookOptions {
  /** Folder for screenshots; none are taken without it. */
  readonly folder: string | undefined
}

/** Opens every page in every theme and size, and returns the accessibility faults. */
export async function lookAround(stage: Stage, { folder }: LookOptions): Promise<readonly string[]> {
  await makeSampleData(stage)
  const found: string[] = []
  for (const look of looks) {
    await using stranger = await stage.open(look)
    for (const scene of opened) found.push(...(await lookAt(stranger, scene, { stage, look: look.name, folder })))
    await using visitor = await stage.as('admin', look)
    for (const status of [401, 404, 409, 422, 503]) visitor.expectStatus(status)
    visitor.expectDisconnection()
    const wanted = scenes.filter(({ tablet }) => !look.tablet || tablet)
    for (const scene of wanted) found.push(...(await lookAt(visitor, scene, { stage, look: look.name, folder })))
    await using ann = await stage.as('ann', look)
    found.push(...(await lookAt(ann, looking, { stage, look: look.name, folder })))
    if (look.phone) found.push(...(await lookAtMenu(visitor, { stage, look: look.name, folder })))
    found.push(...[...visitor.faults, ...ann.faults].map((fault) => `${look.name}: ${fault}`))
  }
  return found
}

const chinese: readonly (BrowserOptions & { readonly name: string })[] = [
  { name: 'zh-light', language: 'zh-CN' },
  { name: 'zh-phone-light', language: 'zh-CN', phone: true },
]

/** Signing in, a list, a form with errors and the search, in Chinese. */
export async function lookInChinese(stage: Stage, { folder }: LookOptions): Promise<readonly string[]> {
  await makeSampleData(stage)
  const found: string[] = []
  for (const look of chinese) {
    await using visitor = await stage.open(look)
    visitor.expectStatus(401)
    const { page } = visitor
    const looked = { stage, look: look.name, folder }
    const see = async (name: string) => found.push(...(await examine(page, name, looked)))
    await visitor.goTo('/login')
    strictEqual(await page.evaluate('document.documentElement.lang'), 'zh-CN')
    await page.getByLabel('用户名').fill('admin')
    await page.getByLabel('密码', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.getByText('用户名或密码不正确。').waitFor()
    await see('login-wrong')
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.locator('[data-user="admin"]').waitFor({ state: 'attached' })
    await visitor.goTo(purchases)
    await page.getByRole('link', { name: 'Standing desks for the Berlin office' }).waitFor()
    await see('objects')
    await visitor.goTo(`${purchases}/-new`)
    await page.locator('[data-pointer="/spec/amount"]').fill('-3')
    await page.keyboard.press('Tab')
    await page.getByText('至少为 0。').waitFor()
    await see('invalid')
    await visitor.goTo('/roles')
    await page.getByText('访客').first().waitFor()
    await visitor.goTo('/metrics')
    await page.getByText('数据库', { exact: true }).waitFor()
    await visitor.goTo('/objects/-/v1alpha1/configmaps')
    await page.getByRole('heading', { name: '配置项', level: 1 }).waitFor({ state: 'attached' })
    await page.keyboard.press('Control+K')
    await page.getByRole('dialog').getByRole('combobox').fill('>新建')
    await page.getByRole('option', { name: /新建/ }).first().waitFor()
    const offered = await page.getByRole('option', { name: /新建/ }).allInnerTexts()
    strictEqual(new Set(offered).size, offered.length, 'two actions of the same name')
    await see('search')
    found.push(...visitor.faults.map((fault) => `${look.name}: ${fault}`))
  }
  return found
}

/** The setup page, which exists only in a new installation. */
export async function lookAtSetup(stage: Stage, { folder }: LookOptions): Promise<readonly string[]> {
  const found: string[] = []
  const path = '/setup'
  for (const look of looks) {
    await using visitor = await stage.open(look)
    found.push(
      ...(await lookAt(visitor, { name: 'setup', path }, { stage, look: look.name, folder })),
      ...visitor.faults,
    )
  }
  return found
}

interface Looked extends LookOptions {
  readonly stage: Stage
  readonly look: string
}

async function lookAt(visitor: Visitor, { name, path, act }: Scene, looked: Looked): Promise<readonly string[]> {
  const { stage } = looked
  const { page } = visitor
  await visitor.goTo(path)
  await page.locator('[role=status][aria-label=Loading]').first().waitFor({ state: 'detached' })
  await act?.(page, stage)
  const isElsewhere = (await page.evaluate('location.pathname')) !== new URL(`/console${path}`, page.url()).pathname
  const found = [
    ...(isElsewhere ? [`${name}, ${looked.look}: another page has come`] : []),
    ...(await examine(page, name, looked)),
  ]
  await leave(page)
  return found
}

/** Restores the state before the scene: connected, with the whole menu and the deleted objects. */
async function leave(page: Page): Promise<void> {
  await page.context().setOffline(false)
  const expand = page.getByRole('button', { name: 'Expand the menu' })
  if (await expand.isVisible()) await expand.click()
  const undo = page.getByRole('button', { name: 'Undo' })
  if ((await undo.count()) > 0) await undo.first().click()
  // Cancels requests that a scene holds back, which would be sent otherwise.
  await page.goto('about:blank')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
}

async function lookAtMenu({ page, goTo }: Visitor, looked: Looked): Promise<readonly string[]> {
  await goTo('/home')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  return examine(page, 'menu', looked)
}

async function examine(page: Page, name: string, { look, folder }: Looked): Promise<readonly string[]> {
  // Waits for animations to end.
  await page.waitForTimeout(300)
  if (folder !== undefined) await keepPicture(page, folder, `${name}-${look}.webp`)
  const wide = (await page.evaluate(widest)) as string | undefined
  const small = look.startsWith('phone') ? ((await page.evaluate(smallTargets)) as readonly string[]) : []
  const rules = await violations(page, `${name}, ${look}`)
  // The same elements in every theme and size.
  const hidden = look === 'light' ? await hiddenFocus(page) : []
  return [
    ...hidden.map((element) => `${name}, ${look}: the focus is not visible: ${element}`),
    ...small.map((target) => `${name}, ${look}: too small for a thumb: ${target}`),
    ...(wide === undefined ? [] : [`${name}, ${look}: wider than its window: ${wide}`]),
    ...rules,
  ]
}

/** Elements that make the page scroll horizontally. */
const widest = `(() => {
  if (document.documentElement.scrollWidth <= innerWidth + 1) return undefined
  const out = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  return out.map(({ tagName, className }) => tagName.toLowerCase() + '.' + className).slice(-3).join(', ')
})()`

const mostTabs = 40

/** Elements that Tab reaches without an outline or a ring, of their own or of the field around them. */
async function hiddenFocus(page: Page): Promise<readonly string[]> {
  const found = new Set<string>()
  const seen = new Set<string>()
  for (let tabs = 0; tabs < mostTabs; tabs++) {
    await page.keyboard.press('Tab')
    const { place, fault } = (await page.evaluate(focusedNow)) as { readonly place: string; readonly fault?: string }
    if (fault !== undefined) found.add(fault)
    if (place === '' || seen.has(place)) break
    seen.add(place)
  }
  return [...found]
}

const focusedNow = `(() => {
  const one = document.activeElement
  if (!one || one === document.body) return { place: '' }
  const box = one.getBoundingClientRect()
  const place = [one.tagName, one.className, one.textContent.slice(0, 40), box.x, box.y].join(' ')
  const isRinged = (at) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
  }
  const around = [one, one.closest('.in, .filter, .drop, .another, td, label, .cm-editor')].filter((at) => at)
  return around.some(isRinged) ? { place } : { place, fault: one.tagName.toLowerCase() + '.' + one.className + ' "' + (one.ariaLabel ?? one.textContent).trim().slice(0, 30) + '"' }
})()`

/**
 * Controls of less than 36 pixels. A box counts with its label, a text field with the frame around it, the title of a card with
 * the card; links in running text are as high as the text.
 */
const smallTargets = `(() => {
  const all = [...document.querySelectorAll('button, select, textarea, input, summary, [role=tab], [role=option], a')]
  const isShown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest('.hidden-visually, .skip')
  const isInText = (one) => one.tagName === 'A' && getComputedStyle(one).display === 'inline'
  const isBox = (one) => /^(checkbox|radio|file)$/.test(one.type)
  const isText = (one) => one.matches('select, textarea, input') && !isBox(one)
  const boxOf = (one) => ((isBox(one) && one.closest('label')) || (isText(one) && one.closest('.in, .filter')) || (one.matches('[data-title]') && one.closest('[data-row]')) || one).getBoundingClientRect()
  const isSmall = ({ width, height }) => width > 1 && (width < 35.5 || height < 35.5)
  return all
    .filter((one) => isShown(one) && !isInText(one) && isSmall(boxOf(one)))
    .map((one) => {
      const { width, height } = boxOf(one)
      return one.tagName.toLowerCase() + '.' + one.className + ' "' + (one.ariaLabel ?? one.textContent).trim().slice(0, 30) + '" ' + Math.round(width) + 'x' + Math.round(height)
    })
})()`

const documented = join(import.meta.dirname, '../../docs/operations/pictures')

/** Writes WebP through the DevTools protocol, the only way in Chromium; half the size of JPEG. */
async function keepPicture(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  await session.detach()
  const bytes = Buffer.from(data, 'base64')
  writeFileSync(join(folder, name), bytes)
  // Updates the pictures in the documents.
  if (existsSync(join(documented, name))) writeFileSync(join(documented, name), bytes)
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly help: string
    readonly nodes: readonly { readonly target: readonly string[] }[]
  }[]
}

/** Injects the script through the browser, because the content security policy of the page blocks it. */
async function violations(page: Page, where: string): Promise<readonly string[]> {
  await page.evaluate(await axeSource())
  const { violations: all } = (await page.evaluate('axe.run()')) as AxeResult
  return all
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || /^(landmark-|region$)/.test(id))
    .map(
      ({ id, help, nodes }) =>
        `${where}: ${id}: ${help}: ${nodes
          .map(({ target }) => target.join(' '))
          .slice(0, 3)
          .join(', ')}`,
    )
}

let source: string | undefined
async function axeSource(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  source ??= await readFile(axe, 'utf8')
  return source
}
