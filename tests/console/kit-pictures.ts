import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { samplesOf } from '../../tools/docs/samples.ts'
import { packedFiles } from '../end-to-end/packed-source.ts'
import { openInstallation } from './installation.ts'
import { setup } from './journeys/administration.ts'
import { pictureOf, type Box } from './picture.ts'
import type { Stage, Visitor } from './stage.ts'

/** Opens every sample of the kit's page as a page of one plugin, and writes its picture beside that document. */
const documents = join(import.meta.dirname, '../../docs/reference')
const samples = new Map(
  samplesOf(readFileSync(join(documents, 'console-kit.md'), 'utf8')).map(({ name, text }) => [name, text.trimStart()]),
)
const parts = [...samples.keys()].filter((name) => name.endsWith('.vue')).map((name) => name.replace('.vue', ''))

/** What has to be clicked before there is something to see. */
const clicks: Readonly<Record<string, string>> = {
  menu: 'button',
  dialog: 'button',
  drawer: 'button',
  'confirm-dialog': 'button',
  toasts: 'button',
  'combo-box': 'input',
  'date-input': 'button',
}
/** Controls that take text, typed before the picture. */
const typed: Readonly<Record<string, string>> = { 'combo-box': 'farm' }
/** Other samples have the width of a form. */
const wide = new Set(['model-table', 'page-header', 'data-table'])
const widths = { page: 760, form: 560 }
const mostHeight = 480
const margin = 16

await using stage = await openInstallation()
await setup.run(stage)
await install(stage)
await using visitor = await stage.as('admin')
visitor.expectStatus(404)
mkdirSync(join(documents, 'pictures'), { recursive: true })
for (const part of parts) {
  writeFileSync(join(documents, `pictures/${part}.webp`), await look(visitor, part))
  console.log(part)
}
if (visitor.faults.length > 0) throw new Error(visitor.faults.join('\n'))

async function install(on: Stage): Promise<void> {
  const names = parts.map((part) => `import P${parts.indexOf(part)} from './${part}.vue'`)
  const entries = parts.map((part, at) => `'${part}': P${at}`)
  const pages = parts.map((part) => `{ path: '${part}', title: '${part}' }`)
  const sources = [...samples].map(([name, text]): [string, string] =>
    name === 'plugin.ts'
      ? ['src/plugin.ts', text.replace(/pages: \[.*\]/, `pages: [${pages.join(', ')}]`)]
      : [`src/ui/${name}`, text.replace("'./plugin.ts'", "'../plugin.ts'")],
  )
  const packed = await packedFiles({
    'package.json': JSON.stringify({ name: 'kit', version: '1.0.0', license: 'Apache-2.0', type: 'module' }),
    ...Object.fromEntries(sources),
    'src/ui/index.ts': `import { definePages } from '@pergola/console'\n${names.join('\n')}\nexport default definePages({ ${entries.join(', ')} })`,
  })
  await on.api('POST', '/apis/console.api.platform.run/v1alpha1/plugins/-/packages?approve=console-code', packed)
  await on.until('the plugin is started', async () => {
    const { status } = (await on.api('GET', '/apis/plugin.platform.run/v1alpha1/plugins/todo')) as {
      readonly status?: { readonly phase?: string }
    }
    return status?.phase === 'Started'
  })
  await on.api('POST', '/api/v1alpha1/users', { metadata: { name: 'ann' }, spec: { displayName: 'Ann Berger' } })
  const todos = { milk: ['Buy milk', '2030-03-01'], fence: ['Repair the fence', '2030-04-12'], bike: ['Oil the bike'] }
  for (const [name, [title, due]] of Object.entries(todos)) {
    const spec = { title, state: 'open', owner: 'ann', ...(due && { due }) }
    await on.api('POST', '/apis/todo.example.com/v1/todos', { metadata: { name }, spec })
  }
}

async function look({ page }: Visitor, part: string): Promise<Buffer> {
  await page.goto(new URL(`/console/p/todo/${part}`, page.url()).href)
  const frame = page.locator('.frame')
  await frame.locator(':scope > *').first().waitFor()
  await page.locator('[role=status][aria-label=Loading]').first().waitFor({ state: 'detached' })
  await page.evaluate(frameOf(wide.has(part)))
  const click = clicks[part]
  if (click !== undefined) await frame.locator(click).first().click()
  const text = typed[part]
  if (text !== undefined) await page.keyboard.type(text)
  // Waits for animations to end.
  await page.waitForTimeout(500)
  return pictureOf(page, await boxOf(page))
}

function frameOf(isWide: boolean): string {
  const styles = `flex: none; gap: 12px; padding: ${margin}px; overflow: visible; width: ${isWide ? widths.page : widths.form}px`
  return `document.querySelector('.frame').style.cssText = '${styles}'`
}

/** Around what there is to see: an open dialog or a toast alone, else the page with its open menu. */
async function boxOf(page: Page): Promise<Box> {
  return await page.evaluate(`(() => {
    const alone = document.querySelector('dialog[open], .toast')
    const all = alone ? [alone] : [document.querySelector('.frame'), ...document.querySelectorAll('.frame .menu')]
    const boxes = all.map((one) => one.getBoundingClientRect())
    const x = Math.min(...boxes.map((box) => box.left))
    const y = Math.min(...boxes.map((box) => box.top))
    const width = Math.max(...boxes.map((box) => box.right)) - x
    const height = Math.max(...boxes.map((box) => box.bottom)) - y + (all.length > 1 ? ${margin} : 0)
    return { x, y, width, height: Math.min(height, ${mostHeight}) }
  })()`)
}
