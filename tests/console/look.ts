import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { nextTodo } from './packages.ts'
import { makeSampleData } from './sample-data.ts'
import type { BrowserOptions, Stage, Visitor } from './stage.ts'

/** A page, the name of its screenshot, and the steps before the screenshot. */
interface Scene {
  readonly name: string
  readonly path: string
  readonly act?: (page: Page, stage: Stage) => Promise<void>
}

const purchases = '/objects/purchasing.example.com/v1/purchases'
const sample = `${purchases}/purchase-07`
const contested = `${purchases}/purchase-05`
const api = '/apis/purchasing.example.com/v1/purchases'
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click()
const button = (name: string) => (page: Page) => page.getByRole('button', { name }).click()

const scenes: readonly Scene[] = [
  { name: 'home', path: '/home', act: (page) => page.getByText('Needs attention').waitFor() },
  { name: 'metrics', path: '/metrics' },
  { name: 'models', path: '/models' },
  { name: 'shortcuts', path: '/home', act: (page) => page.keyboard.press('?') },
  { name: 'search', path: '/home', act: searchDesks },
  { name: 'objects', path: purchases },
  { name: 'todos', path: '/objects/todo.example.com/v1alpha1/todos' },
  { name: 'columns', path: purchases, act: button('Display') },
  { name: 'preview', path: `${purchases}?open=purchase-07` },
  { name: 'filter', path: purchases, act: openFilter },
  { name: 'filtered', path: `${purchases}?where=spec.requestedBy%3Dnobody` },
  { name: 'selected', path: purchases, act: selectTwo },
  { name: 'set-field', path: purchases, act: setField },
  { name: 'deleted', path: purchases, act: deleteTwo },
  { name: 'away', path: purchases, act: goAway },
  { name: 'empty', path: '/objects/-/v1alpha1/secrets' },
  { name: 'new-object', path: `${purchases}/-new` },
  { name: 'invalid', path: `${purchases}/-new`, act: createInvalid },
  { name: 'object', path: sample },
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
  { name: 'plugin-page', path: '/p/todo' },
  { name: 'account', path: '/account' },
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

const looks: readonly (BrowserOptions & { readonly name: string })[] = [
  { name: 'light' },
  { name: 'dark', dark: true },
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
    found.push(...(await lookAt(stranger, { name: 'login', path: '/login' }, { stage, look: look.name, folder })))
    await using visitor = await stage.as('admin', look)
    visitor.expectStatus(404)
    visitor.expectStatus(409)
    visitor.expectStatus(422)
    visitor.expectStatus(401)
    for (const scene of scenes) found.push(...(await lookAt(visitor, scene, { stage, look: look.name, folder })))
    await using ann = await stage.as('ann', look)
    found.push(...(await lookAt(ann, looking, { stage, look: look.name, folder })))
    if (look.phone) found.push(...(await lookAtMenu(visitor, { stage, look: look.name, folder })))
    const faults = [...visitor.faults, ...ann.faults].filter((fault) => !fault.includes('ERR_INTERNET_DISCONNECTED'))
    found.push(...faults.map((fault) => `${look.name}: ${fault}`))
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

/** Restores the state before the scene: connected, with deleted objects. */
async function leave(page: Page): Promise<void> {
  await page.context().setOffline(false)
  const undo = page.getByRole('button', { name: 'Undo' })
  if ((await undo.count()) > 0) await undo.first().click()
}

async function lookAtMenu({ page }: Visitor, looked: Looked): Promise<readonly string[]> {
  await page.getByRole('button', { name: 'Menu' }).click()
  return examine(page, 'menu', looked)
}

async function examine(page: Page, name: string, { look, folder }: Looked): Promise<readonly string[]> {
  // Waits for animations to end.
  await page.waitForTimeout(300)
  if (folder !== undefined) await keepPicture(page, folder, `${name}-${look}.webp`)
  const wide = (await page.evaluate(widest)) as string | undefined
  const small = look.startsWith('phone') ? ((await page.evaluate(smallTargets)) as readonly string[]) : []
  return [
    ...small.map((target) => `${name}, ${look}: too small for a thumb: ${target}`),
    ...(wide === undefined ? [] : [`${name}, ${look}: wider than its window: ${wide}`]),
    ...(await violations(page, `${name}, ${look}`)),
  ]
}

/** Elements that make the page scroll horizontally. */
const widest = `(() => {
  if (document.documentElement.scrollWidth <= innerWidth + 1) return undefined
  const out = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  return out.map(({ tagName, className }) => tagName.toLowerCase() + '.' + className).slice(-3).join(', ')
})()`

/** Controls of less than 36 pixels. A box counts with its label; links in running text are as high as the text. */
const smallTargets = `(() => {
  const all = [...document.querySelectorAll('button, select, textarea, input, [role=tab], [role=option], a')]
  const isShown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest('.hidden-visually, .skip')
  const isInText = (one) => one.tagName === 'A' && getComputedStyle(one).display === 'inline'
  const boxOf = (one) => ((/^(checkbox|radio|file)$/.test(one.type) && one.closest('label, td, li')) || one.closest('.in, .filter, [data-row]') || one).getBoundingClientRect()
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
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
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
