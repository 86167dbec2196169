import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { password } from '../stage.ts'
import { assertClean, makeTodo, todos } from './administration.ts'
import type { Journey } from './journey.ts'

const list = '/objects/todo.example.com/v1alpha1/todos'

export const savedViews: Journey = {
  name: 'saved views of a list: filter, order and columns under a name, and a link for others',
  run: async (stage) => {
    const due = { 'view-b': '2031-01-01T00:00:00Z', 'view-a': '2030-01-01T00:00:00Z' }
    for (const [name, day] of Object.entries(due)) await makeTodo(stage, name, { title: name, state: 'done', due: day })
    await makeTodo(stage, 'view-c', { title: 'view-c' })
    await using visitor = await stage.as('admin')
    const { page } = visitor
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const dialog = page.getByRole('dialog')
    const choose = async (entry: string | RegExp) => {
      await page.getByRole('button', { name: 'View', exact: true }).click()
      await page.getByRole('button', { name: entry }).click()
    }
    const name = async (text: string, action: string) => {
      await dialog.getByLabel('Name of the view').fill(text)
      await dialog.getByRole('button', { name: action }).click()
      await dialog.waitFor({ state: 'detached' })
    }

    await visitor.goTo(`${list}?where=spec.state%3Ddone&sort=spec.due,asc`)
    await shows(page, ['view-a', 'view-b'])
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByRole('checkbox', { name: 'Owner' }).uncheck()
    await page.keyboard.press('Escape')
    await choose('Save as a view…')
    await name('Finished', 'Save view')
    strictEqual(await chosenTab(page), 'Finished')
    await tab(page, 'All').click()
    await page.getByText('view-c').waitFor()
    // The columns belong to the view; the list has its own.
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByRole('checkbox', { name: 'Owner' }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Owner' }).waitFor()
    await tab(page, 'Finished').click()
    await shows(page, ['view-a', 'view-b'])
    await page.getByRole('columnheader', { name: 'Owner' }).waitFor({ state: 'detached' })

    // A change is shown until it is saved; a reload keeps the view.
    await page.getByRole('button', { name: 'Due', exact: true }).click()
    await shows(page, ['view-b', 'view-a'])
    await tab(page, 'Finished').getByRole('img', { name: 'changed' }).waitFor()
    await choose(/^Save the changes/)
    await tab(page, 'Finished').getByRole('img', { name: 'changed' }).waitFor({ state: 'detached' })
    await choose(/^Rename/)
    await dialog.getByLabel('Name of the view').fill('')
    await name('Done, Z to A', 'Rename view')
    await page.reload()
    await shows(page, ['view-b', 'view-a'])
    strictEqual(await chosenTab(page), 'Done, Z to A')

    // The link shows the same to somebody else, who has no such view.
    await choose('Copy link')
    await page.getByText('Link copied').waitFor()
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string
    match(link, /\/console\/objects\/.*where=.*sort=.*columns=/)
    await using ann = await stage.as('ann')
    await ann.page.goto(link)
    await shows(ann.page, ['view-b', 'view-a'])
    await ann.page.getByRole('columnheader', { name: 'State' }).waitFor()
    strictEqual(await ann.page.getByRole('columnheader', { name: 'Owner' }).count(), 0)
    strictEqual(await ann.page.getByRole('navigation', { name: 'Views' }).count(), 0)
    assertClean(ann)

    // Two views cannot have one name; a deleted one can be brought back.
    await choose('Save as a view…')
    await dialog.getByLabel('Name of the view').fill('Done, Z to A')
    await dialog.getByText('There is a view of this name.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await choose(/^Delete “Done/)
    await tab(page, 'Done, Z to A').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await tab(page, 'Done, Z to A').waitFor()

    // Users have them too. Another user of this browser has none of both.
    await visitor.goTo('/users?where=spec.displayName%5E%3DAn')
    await choose('Save as a view…')
    await name('People called An', 'Save view')
    await tab(page, 'All').click()
    await tab(page, 'People called An').click()
    strictEqual(await page.getByRole('searchbox', { name: 'Search users' }).inputValue(), 'An')
    await page.keyboard.press('Control+K')
    await dialog.getByRole('combobox').fill('>sign out')
    await page.keyboard.press('Enter')
    await page.getByLabel('User name').fill('ann')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('[data-user="ann"]').waitFor({ state: 'attached' })
    await visitor.goTo(list)
    await page.getByText('view-c').waitFor()
    strictEqual(await page.getByRole('navigation', { name: 'Views' }).count(), 0)
    for (const one of ['view-a', 'view-b', 'view-c']) await stage.api('DELETE', `${todos}/${one}`)
    assertClean(visitor)
  },
}

function tab(page: Page, name: string) {
  return page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: new RegExp(`^${name}`) })
}

async function chosenTab(page: Page): Promise<string> {
  return page.getByRole('navigation', { name: 'Views' }).locator('[aria-current=page]').innerText()
}

/** Exactly these rows, in this order. */
async function shows(page: Page, titles: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const rows = await page.locator('tbody [data-title]').allInnerTexts()
    if (rows.join() === titles.join()) return
    await page.waitForTimeout(100)
  }
  deepStrictEqual(await page.locator('tbody [data-title]').allInnerTexts(), titles)
}
