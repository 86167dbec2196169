import { deepStrictEqual, ok } from 'node:assert/strict'
import { assertClean, makeTodo, todos } from './administration.ts'
import { password } from '../stage.ts'
import type { Journey } from './journey.ts'

export const recent: Journey = {
  name: 'the search: recent pages first, actions with their keys, few requests',
  run: async (stage) => {
    await makeTodo(stage, 'recent-one', { title: 'visited before' })
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    const { keyboard } = at
    const dialog = at.getByRole('dialog')
    const open = async () => {
      await keyboard.press('Control+K')
      await dialog.getByRole('combobox').waitFor()
    }
    await visitor.goTo('/objects/todo.example.com/v1alpha1/todos/recent-one')
    await at.getByRole('heading', { name: 'visited before', level: 1 }).waitFor()
    await at.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Todos', exact: true }).click()
    await at.getByRole('link', { name: 'visited before' }).waitFor()
    await open()
    await dialog
      .getByRole('group', { name: 'Recent' })
      .getByRole('option')
      .first()
      .getByText('visited before')
      .waitFor()
    // What is recent is not listed twice.
    await dialog.getByRole('combobox').fill('visited')
    await dialog.getByText('Searching').waitFor({ state: 'detached' })
    deepStrictEqual(await dialog.getByRole('option', { name: /^visited before/ }).count(), 1)
    // Actions show the keys that do the same; N is only for the list below the search.
    await dialog.getByRole('combobox').fill('>')
    const keysOf = async (name: RegExp) => dialog.getByRole('option', { name }).locator('kbd').allInnerTexts()
    deepStrictEqual(await keysOf(/^New todo/), ['N'])
    deepStrictEqual(await keysOf(/^New config map/), [])
    deepStrictEqual(await keysOf(/^Shortcuts/), ['?'])
    await dialog.getByRole('combobox').fill('>shortcuts')
    await keyboard.press('Enter')
    await at.getByRole('dialog', { name: 'Shortcuts' }).waitFor()
    await keyboard.press('Escape')
    await at.getByRole('dialog', { name: 'Shortcuts' }).waitFor({ state: 'detached' })

    // A model without matches is not asked again for a longer text; requests of an older text are cancelled.
    await open()
    const asked: string[] = []
    at.on(
      'request',
      (request) => request.url().includes('fieldSelector=') && asked.push(new URL(request.url()).pathname),
    )
    await dialog.getByRole('combobox').fill('rece')
    await dialog.getByText('Searching').waitFor({ state: 'detached' })
    ok(new Set(asked).size > 3, `only ${asked.join(', ')}`)
    asked.length = 0
    await dialog.getByRole('combobox').fill('recent')
    await stage.until('the longer text is searched', async () => asked.length > 0)
    await dialog.getByText('Searching').waitFor({ state: 'detached' })
    deepStrictEqual([...new Set(asked)], [todos])
    const release = Promise.withResolvers<void>()
    await at.route('**/todos?**', async (route) => {
      await release.promise
      await route.continue().catch(() => undefined)
    })
    asked.length = 0
    const cancelled = at.waitForEvent('requestfailed', (request) => request.url().includes('/todos?'))
    await dialog.getByRole('combobox').fill('recent-')
    await stage.until('the server is asked', async () => asked.length > 0)
    await dialog.getByRole('combobox').fill('recent-one')
    await cancelled
    release.resolve()
    await at.unrouteAll({ behavior: 'ignoreErrors' })
    await keyboard.press('Escape')

    // Another user of this browser starts without them.
    await open()
    await dialog.getByRole('combobox').fill('>sign out')
    await keyboard.press('Enter')
    await at.getByLabel('User name').fill('ann')
    await at.getByLabel('Password', { exact: true }).fill(password)
    await at.getByRole('button', { name: 'Sign in' }).click()
    await at.locator('[data-user="ann"]').waitFor({ state: 'attached' })
    await open()
    await dialog.getByRole('option', { name: /^Sign out/ }).waitFor()
    deepStrictEqual(await dialog.getByRole('group', { name: 'Recent' }).count(), 0)
    await stage.api('DELETE', `${todos}/recent-one`)
    assertClean(visitor)
  },
}
