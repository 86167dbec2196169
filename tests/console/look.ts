import { mkdirSync, writeFileSync } from 'node:fs'
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

const todos = '/objects/todo.example.com/v1alpha1/todos'
const sample = `${todos}/reply-to-the-auditors`
const contested = `${todos}/water-the-plants`
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click()
const button = (name: string) => (page: Page) => page.getByRole('button', { name }).click()

const scenes: readonly Scene[] = [
  { name: 'home', path: '/home' },
  { name: 'metrics', path: '/metrics' },
  { name: 'models', path: '/models' },
  { name: 'shortcuts', path: '/home', act: (page) => page.keyboard.press('?') },
  { name: 'search', path: '/home', act: searchWater },
  { name: 'objects', path: todos },
  { name: 'columns', path: todos, act: button('Display') },
  { name: 'preview', path: `${todos}?open=reply-to-the-auditors` },
  { name: 'filter', path: todos, act: openFilter },
  { name: 'filtered', path: `${todos}?where=spec.owner%3Dnobody` },
  { name: 'empty', path: '/objects/-/v1alpha1/secrets' },
  { name: 'new-object', path: `${todos}/-new` },
  { name: 'object', path: sample },
  { name: 'object-yaml', path: sample, act: tab('YAML') },
  { name: 'object-changes', path: contested, act: watchChange },
  { name: 'object-access', path: `${sample}?tab=access` },
  { name: 'conflict', path: contested, act: editTogether },
  { name: 'missing-object', path: `${todos}/nobody` },
  { name: 'users', path: '/users' },
  { name: 'new-user', path: '/users', act: button('New user') },
  { name: 'user', path: '/users/ann' },
  { name: 'roles', path: '/roles' },
  { name: 'new-role', path: '/roles/-new' },
  { name: 'role', path: '/roles/todo-manage' },
  { name: 'why', path: '/why' },
  { name: 'plugins', path: '/plugins' },
  { name: 'plugin', path: '/plugins/todo' },
  { name: 'plugin-rights', path: '/plugins/todo', act: tab('Rights') },
  { name: 'plugin-rights', path: '/plugins/todo', act: tab('Rights') },
  { name: 'plugin-settings', path: '/plugins/todo', act: tab('Settings') },
  { name: 'failing-plugin', path: '/plugins/failing' },
  { name: 'plugin-logs', path: '/plugins/failing', act: tab('Logs') },
  { name: 'uninstall', path: '/plugins/failing', act: uninstall },
  { name: 'install', path: '/plugins/-/install' },
  { name: 'install-review', path: '/plugins/-/install', act: choosePackage },
  { name: 'plugin-page', path: '/p/todo' },
  { name: 'account', path: '/account' },
  { name: 'nothing', path: '/nowhere' },
]

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

async function searchWater(page: Page): Promise<void> {
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog').getByRole('combobox').fill('water')
  await page
    .getByRole('option', { name: /^water/i })
    .first()
    .waitFor()
}

let edits = 0
/** Two users change the same title; the second to save sees the conflict dialog. */
async function editTogether(page: Page, stage: Stage): Promise<void> {
  await page.getByLabel('Title').fill('Water the plants on Friday')
  const path = '/apis/todo.example.com/v1alpha1/todos/water-the-plants'
  await stage.api('PATCH', path, { spec: { title: `Water the plants in room ${++edits}` } })
  await page.getByText('Somebody saved this').waitFor()
  await page.keyboard.press('Control+S')
  await page.getByRole('dialog').waitFor()
}

async function watchChange(page: Page, stage: Stage): Promise<void> {
  const path = '/apis/todo.example.com/v1alpha1/todos/water-the-plants'
  await stage.api('PATCH', path, { spec: { title: `Water the plants in room ${++edits}` } })
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
    for (const scene of scenes) found.push(...(await lookAt(visitor, scene, { stage, look: look.name, folder })))
    if (look.phone) found.push(...(await lookAtMenu(visitor, { stage, look: look.name, folder })))
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
  return [
    ...(isElsewhere ? [`${name}, ${looked.look}: another page has come`] : []),
    ...(await examine(page, name, looked)),
  ]
}

async function lookAtMenu({ page }: Visitor, looked: Looked): Promise<readonly string[]> {
  await page.getByRole('button', { name: 'Menu' }).click()
  return examine(page, 'menu', looked)
}

async function examine(page: Page, name: string, { look, folder }: Looked): Promise<readonly string[]> {
  // Waits for animations to end.
  await page.waitForTimeout(300)
  if (folder !== undefined) await keepPicture(page, join(folder, `${name}-${look}.webp`))
  const wide = (await page.evaluate(widest)) as string | undefined
  return [
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

/** Writes WebP through the DevTools protocol, the only way in Chromium; half the size of JPEG. */
async function keepPicture(page: Page, file: string): Promise<void> {
  mkdirSync(join(file, '..'), { recursive: true })
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  await session.detach()
  writeFileSync(file, Buffer.from(data, 'base64'))
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
