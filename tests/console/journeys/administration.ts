import { strictEqual } from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { todo } from '../packages.ts'
import { password, type Stage, type Visitor } from '../stage.ts'
import type { Journey } from './journey.ts'

export const setup: Journey = {
  name: 'the first administrator, by keyboard alone',
  run: async (stage) => {
    await using visitor = await stage.open()
    const { page } = visitor
    // The console of a new installation redirects to the setup page.
    await page.goto(`${stage.url}/console`)
    await page.getByRole('heading', { name: 'Create the administrator' }).waitFor()
    // The secret is pasted, because no link contains it.
    await tabToField(visitor, 'off')
    await page.keyboard.type(stage.setupSecret)
    await tabToField(visitor, 'username')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('admin')
    await tabToField(visitor, 'new-password')
    await page.keyboard.type(password)
    await tabTo(visitor, 'Create and sign in')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Welcome, admin' }).waitFor()
    assertClean(visitor)
  },
}

export const install: Journey = {
  name: 'install a plugin and grant its view role to a user, by keyboard alone',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    const { page } = visitor
    await tabTo(visitor, 'Plugins')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Plugins', exact: true }).waitFor()
    await tabTo(visitor, 'Install a plugin')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Install a plugin' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await tabToFile(visitor)
    await page.keyboard.press('Enter')
    await (await chooser).setFiles({ name: 'todo.tgz', mimeType: 'application/gzip', buffer: await todo() })
    await page.getByText('GET /apis/api.todo.example.com/v1alpha1/shares/{code}').first().waitFor()
    const decisions = page.getByRole('checkbox')
    strictEqual(await decisions.count(), 2)
    for (const box of await decisions.all()) {
      strictEqual(await page.getByRole('button', { name: 'Install Todos' }).isEnabled(), false, 'a decision is left')
      strictEqual(await box.isChecked(), false, 'a decision made beforehand')
      await tabTo(visitor, box)
      await page.keyboard.press('Space')
    }
    await tabTo(visitor, 'Install Todos')
    await page.keyboard.press('Enter')
    await page.getByText('Todos 1.0.0 is installed').waitFor()
    await page.getByRole('main').getByText('running').first().waitFor()

    await tabTo(visitor, 'Users')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await tabTo(visitor, 'New user')
    await page.keyboard.press('Enter')
    await page.getByLabel('User name').waitFor()
    await tabTo(visitor, page.getByLabel('User name'))
    await page.keyboard.type('ann')
    await tabTo(visitor, page.getByLabel('First password'))
    await page.keyboard.type(password)
    await tabTo(visitor, 'Create user')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'ann', exact: true }).waitFor()
    await tabTo(visitor, 'Give a role')
    await page.keyboard.press('Enter')
    await tabTo(visitor, page.getByRole('button', { name: /^View todos/ }))
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'View todos', exact: true }).waitFor()
    assertClean(visitor)
  },
}

export const narrowed: Journey = {
  name: 'a user sees only what their roles allow',
  run: async (stage) => {
    await using visitor = await stage.as('ann')
    const { page } = visitor
    const menu = page.getByRole('navigation')
    await menu.getByRole('link', { name: 'Todos', exact: true }).waitFor()
    await menu.getByRole('link', { name: 'Open todos', exact: true }).waitFor()
    for (const entry of ['Plugins', 'Users', 'Roles', 'Secrets']) {
      strictEqual(await menu.getByRole('link', { name: entry, exact: true }).count(), 0, `${entry} is in the menu`)
    }
    await visitor.choose('Todos')
    await page.getByText('No todos yet').waitFor()
    strictEqual(await page.getByRole('button', { name: 'New todo' }).count(), 0, 'a button that would be refused')
    await page.goto(`${stage.url}/console/plugins`)
    await page.getByRole('heading', { name: 'You may not see this page', level: 1 }).waitFor({ state: 'attached' })
    assertClean(visitor)
  },
}

export const search: Journey = {
  name: 'jump to pages, objects and actions with Ctrl K, by keyboard alone',
  run: async (stage) => {
    await makeTodo(stage, 'jump-here', { title: 'found by its name' })
    await makeTodo(stage, 'jump-there', { title: 'the other one' })
    await using admin = await stage.as('admin')
    await using ann = await stage.as('ann')
    const { page } = admin
    const dialog = page.getByRole('dialog')
    const option = (visitor: Visitor, name: string | RegExp) => visitor.page.getByRole('option', { name })
    const type = async (visitor: Visitor, text: string) => {
      await visitor.page.keyboard.press('Control+K')
      await visitor.page.getByRole('dialog').getByRole('combobox').waitFor()
      await visitor.page.keyboard.type(text)
    }
    await type(admin, 'jump')
    await option(admin, /jump-here/).waitFor()
    // A word of the title finds it too.
    await dialog.getByRole('combobox').fill('name')
    await option(admin, /jump-there/).waitFor({ state: 'detached' })
    await option(admin, /^found by its name/).waitFor()
    // So does any word of a user's display name.
    await stage.api('POST', '/api/v1alpha1/users', { metadata: { name: 'tom' }, spec: { displayName: 'Tom Okafor' } })
    await dialog.getByRole('combobox').fill('Tom O')
    await option(admin, /^Tom Okafor/).waitFor()
    await dialog.getByRole('combobox').fill('jump-here')
    await option(admin, /^found by its name/).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'found by its name' }).waitFor()
    // Leaving asks because of the draft, and the draft does not appear on the other page.
    await page.getByLabel('Title').fill('a draft')
    await type(admin, 'jump-there')
    await option(admin, /jump-there/).waitFor()
    const asked = page.waitForEvent('dialog')
    const pressed = page.keyboard.press('Enter')
    await (await asked).accept()
    await pressed
    await page.getByRole('heading', { name: 'the other one' }).waitFor()
    strictEqual(await page.getByLabel('Title').inputValue(), 'the other one')
    // Escape restores the focus.
    await tabTo(admin, 'Users')
    await type(admin, 'role')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    strictEqual(await page.evaluate('document.activeElement?.textContent?.trim()'), 'Users')
    await type(admin, 'new')
    await option(admin, /^New todo/).waitFor()
    await page.keyboard.press('ArrowUp')
    strictEqual(
      await dialog.getByRole('option', { selected: true }).innerText(),
      await option(admin, /./).last().innerText(),
    )
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New todo' }).waitFor()
    // Ann may only view todos.
    await type(ann, 'jump')
    await option(ann, /jump-here/).waitFor()
    for (const text of ['New todo', 'admin', 'Plugins']) {
      await ann.page.getByRole('dialog').getByRole('combobox').fill(text)
      await ann.page.getByText('Nothing found').waitFor()
    }
    await ann.page.getByRole('dialog').getByRole('combobox').fill('sign out')
    await ann.page.keyboard.press('Enter')
    await ann.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await stage.api('DELETE', `${todos}/jump-here`)
    await stage.api('DELETE', '/api/v1alpha1/users/tom')
    assertClean(admin)
    assertClean(ann)
  },
}

export const roleChange: Journey = {
  name: 'revoking a role hides its menu at once',
  run: async (stage) => {
    await using visitor = await stage.as('ann')
    const { page } = visitor
    const entry = page.getByRole('navigation').getByRole('link', { name: 'Todos', exact: true })
    const ofPlugin = page.getByRole('navigation').getByRole('link', { name: 'Open todos', exact: true })
    await entry.waitFor()
    await visitor.choose('Open todos')
    await page.getByRole('heading', { name: 'Open todos' }).waitFor()
    await page.evaluate('window.wasNotReloaded = true')
    await stage.api('DELETE', '/api/v1alpha1/rolebindings/ann-todo-view')
    await entry.waitFor({ state: 'detached' })
    await ofPlugin.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'You may not see this page', level: 1 }).waitFor({ state: 'attached' })
    await stage.api('POST', '/api/v1alpha1/rolebindings', {
      metadata: { name: 'ann-todo-view' },
      roleRef: { name: 'todo-view' },
      subjects: [{ name: 'ann' }],
    })
    await entry.waitFor()
    await ofPlugin.waitFor()
    await page.getByRole('heading', { name: 'Open todos' }).waitFor()
    strictEqual(await page.evaluate('window.wasNotReloaded'), true)
    assertClean(visitor)
  },
}

export function assertClean({ faults }: Pick<Visitor, 'faults'>): void {
  if (faults.length > 0) throw new Error(`the browser says: ${faults.join('; ')}`)
}

const mostTabs = 80

/** Presses Tab until the element, or the one with this text, has the focus. */
export async function tabTo({ page }: Visitor, wanted: string | Locator): Promise<void> {
  const isThere = async () =>
    typeof wanted === 'string'
      ? (await page.evaluate('document.activeElement?.textContent?.trim()')) === wanted
      : (await wanted.and(page.locator(':focus')).count()) > 0
  for (let tabs = 0; tabs < mostTabs; tabs++) {
    await page.keyboard.press('Tab')
    if (await isThere()) return
  }
  throw new Error(`"${String(wanted)}" cannot be reached with the keyboard`)
}

/** Finds a field by its `autocomplete` attribute, as a password manager does. */
async function tabToField({ page }: Visitor, autocomplete: string): Promise<void> {
  for (let tabs = 0; tabs < mostTabs; tabs++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate("document.activeElement?.getAttribute('autocomplete')")
    if (focused === autocomplete) return
  }
  throw new Error(`the field for "${autocomplete}" cannot be reached with the keyboard`)
}

async function tabToFile({ page }: Visitor): Promise<void> {
  for (let tabs = 0; tabs < mostTabs; tabs++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate("document.activeElement?.getAttribute('type') === 'file'")) return
  }
  throw new Error('the file cannot be chosen with the keyboard')
}

/** The model of the plugin that most journeys use. */
export const todos = '/apis/todo.example.com/v1alpha1/todos'

export async function makeTodo(stage: Stage, name: string, spec: object): Promise<void> {
  await stage.api('POST', todos, { metadata: { name }, spec: { owner: 'admin', ...spec } })
}
