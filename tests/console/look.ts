import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { BrowserOptions, Stage, Visitor } from './stage.ts'

/** Every page, by the name of its picture; those before somebody is signed in come first. */
const before: readonly (readonly [string, string])[] = [['login', '/login']]
const pages: readonly (readonly [string, string])[] = [
  ['overview', '/overview'],
  ['objects', '/objects/todo.example.com/v1alpha1/todos'],
  ['new-object', '/objects/todo.example.com/v1alpha1/todos/-new'],
  ['object', '/objects/todo.example.com/v1alpha1/todos/shared'],
  ['users', '/users'],
  ['user', '/users/ann'],
  ['roles', '/roles'],
  ['new-role', '/roles/-new'],
  ['role', '/roles/todo-manage'],
  ['why', '/why'],
  ['plugins', '/plugins'],
  ['plugin', '/plugins/todo'],
  ['failing-plugin', '/plugins/failing'],
  ['install', '/plugins/-/install'],
  ['plugin-page', '/p/todo'],
  ['account', '/account'],
  ['nothing', '/nowhere'],
]

const looks: readonly (BrowserOptions & { readonly name: string })[] = [
  { name: 'light' },
  { name: 'dark', dark: true },
  { name: 'phone-light', phone: true },
  { name: 'phone-dark', phone: true, dark: true },
]

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Opens every page in every look; answers what people who cannot see, or not well, would be stopped by. */
export async function lookAround(stage: Stage, folder: string | undefined): Promise<readonly string[]> {
  const found: string[] = []
  for (const look of looks) {
    await using stranger = await stage.open(look)
    for (const [name, path] of before) found.push(...(await lookAt(stranger, { name, path, look: look.name, folder })))
    await using visitor = await stage.as('admin', look)
    for (const [name, path] of pages) found.push(...(await lookAt(visitor, { name, path, look: look.name, folder })))
    found.push(...visitor.faults.map((fault) => `${look.name}: ${fault}`))
  }
  return found
}

interface Looked {
  readonly name: string
  readonly path: string
  readonly look: string
  readonly folder: string | undefined
}

async function lookAt(visitor: Visitor, { name, path, look, folder }: Looked): Promise<readonly string[]> {
  const { page } = visitor
  await visitor.goTo(path)
  await page.locator('[role=status][aria-label=Loading]').first().waitFor({ state: 'detached' })
  await page.waitForTimeout(300)
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true })
    await page.screenshot({ path: join(folder, `${name}-${look}.jpg`), type: 'jpeg', quality: 80 })
  }
  const isElsewhere = (await page.evaluate('location.pathname')) !== `/console${path}`
  const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth + 1')
  return [
    ...(isElsewhere ? [`${name}, ${look}: another page has come`] : []),
    ...(isWide ? [`${name}, ${look}: wider than its window`] : []),
    ...(await violations(page, `${name}, ${look}`)),
  ]
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly help: string
    readonly nodes: readonly { readonly target: readonly string[] }[]
  }[]
}

/** By script of the test, past the policy of the page: it is the browser's, not the page's. */
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
