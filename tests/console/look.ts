import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { strictEqual } from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { pictureOf } from './picture.ts'
import { makeSampleData } from './sample-data.ts'
import { dropHeld, looking, opened, purchases, scenes, type Scene } from './scenes.ts'
import { password, type BrowserOptions, type Stage, type Visitor } from './stage.ts'

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
  /** Only pages whose name matches. */
  readonly scene?: RegExp | undefined
}

/** Opens every page in every theme and size, and returns the accessibility faults. */
export async function lookAround(stage: Stage, { folder, scene = /./ }: LookOptions): Promise<readonly string[]> {
  await makeSampleData(stage)
  const isWanted = ({ name }: Scene) => scene.test(name)
  const found: string[] = []
  for (const look of looks) {
    await using stranger = await stage.open(look)
    for (const one of opened.filter(isWanted))
      found.push(...(await lookAt(stranger, one, { stage, look: look.name, folder })))
    await using visitor = await stage.as('admin', look)
    for (const status of [401, 404, 409, 422, 503]) visitor.expectStatus(status)
    visitor.expectDisconnection()
    const wanted = scenes.filter(({ tablet }) => !look.tablet || tablet).filter(isWanted)
    for (const one of wanted) found.push(...(await lookAt(visitor, one, { stage, look: look.name, folder })))
    await using ann = await stage.as('ann', look)
    for (const one of looking.filter(isWanted))
      found.push(...(await lookAt(ann, one, { stage, look: look.name, folder })))
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
    await page.getByLabel('用户名').fill(`stranger-${look.name}`)
    await page.getByLabel('密码', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.getByText('用户名或密码不正确。').waitFor()
    await see('login-wrong')
    await page.getByLabel('用户名').fill('admin')
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.locator('[data-user="admin"]').waitFor({ state: 'attached' })
    await visitor.goTo(purchases)
    await page.getByRole('link', { name: 'Standing desks for the Berlin office' }).waitFor()
    await see('objects')
    await visitor.goTo('/p/events')
    await page.getByText('Harbour tour').first().waitFor()
    await see('kit-page')
    await page.getByRole('button', { name: 'Harbour tour' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '保存' }).waitFor()
    await see('kit-form')
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
  try {
    await visitor.goTo(path)
    await page.locator('[role=status][aria-label=Loading]').first().waitFor({ state: 'detached' })
    await act?.(page, stage)
  } catch (error) {
    await leave(page)
    return [`${name}, ${looked.look}: cannot be reached: ${(error as Error).message}`]
  }
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
  // A tablet begins with the collapsed menu.
  const isDesk = (page.viewportSize()?.width ?? 0) >= 1280
  const expand = page.getByRole('button', { name: 'Expand the menu' })
  if (isDesk && (await expand.isVisible())) await expand.click()
  const undo = page.getByRole('button', { name: 'Undo' })
  if ((await undo.count()) > 0) await undo.first().click()
  await page.evaluate("sessionStorage.removeItem('pergola.drafts')")
  await dropHeld()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
}

async function lookAtMenu(visitor: Visitor, looked: Looked): Promise<readonly string[]> {
  const { page } = visitor
  await visitor.goTo('/home')
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
  // Both themes, a desk and a phone.
  const hidden = look === 'light' || look === 'phone-dark' ? await hiddenFocus(page) : []
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
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(at)
    const isOutlined = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 && !/, 0\\)$|\\/ 0\\)$/.test(outlineColor)
    return isOutlined || boxShadow !== 'none'
  }
  const around = [one, one.closest('.in, .filter, .line, .drop, .another, td, label, .cm-editor')].filter((at) => at)
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

async function keepPicture(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const bytes = await pictureOf(page)
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
