import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { password, type Stage } from '../stage.ts'
import { assertClean } from './administration.ts'
import type { Journey } from './journey.ts'

const roles = '/api/v1alpha1/roles'
const users = '/api/v1alpha1/users'
const bindings = '/api/v1alpha1/rolebindings'

export const roleDifference: Journey = {
  name: 'a changed role is saved after its rights, gained and lost, and the people concerned are shown',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    const { page } = visitor
    const dialog = page.getByRole('dialog')
    await visitor.goTo('/roles/-new')
    await page.getByLabel('Name', { exact: true }).fill('Front desk')
    await page.getByLabel('API name').fill('desk')
    await part(page, 'View todos').check()
    await page.getByRole('button', { name: 'Create role' }).click()
    await page.getByRole('heading', { name: 'Front desk', level: 1 }).waitFor()
    for (const name of ['dora', 'emil']) {
      await stage.api('POST', users, { metadata: { name }, spec: {} })
      await stage.api('PUT', `${users}/${name}/password`, { password })
    }
    for (const name of ['ann', 'dora', 'emil']) await bind(stage, name, 'desk')
    await bind(stage, 'emil', 'todo-manage')
    const save = () => page.getByRole('button', { name: 'Save role' }).first().click()

    // Gained: everything beyond viewing. Ann may view todos already; Emil may manage them already.
    await part(page, 'Manage todos').check()
    await save()
    await dialog.getByText('Gained: Create, change and delete todos.').waitFor()
    strictEqual(await dialog.getByText('Lost:').count(), 0)
    deepStrictEqual(await groups(page), [
      ['2 people, with all of this:', 'ann', 'dora'],
      ['1 person keeps the same rights, because of other roles:', 'emil'],
    ])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    deepStrictEqual(await dependencies(stage), ['todo-view'])
    await save()
    await dialog.getByRole('button', { name: 'Save role' }).click()
    await dialog.waitFor({ state: 'detached' })
    deepStrictEqual(await dependencies(stage), ['todo-manage', 'todo-view'])

    // Lost, and then the rest of it, which Ann holds through another role.
    await part(page, 'Manage todos').uncheck()
    await save()
    await dialog.getByText('Lost: Create, change and delete todos.').waitFor()
    await dialog.getByRole('button', { name: 'Save role' }).click()
    await dialog.waitFor({ state: 'detached' })
    await part(page, 'View todos').uncheck()
    await save()
    await dialog.getByText('Lost: See todos.').waitFor()
    strictEqual(await dialog.getByText('Gained:').count(), 0)
    deepStrictEqual(await groups(page), [
      ['2 people keep the same rights, because of other roles:', 'ann', 'emil'],
      ['1 person, with all of this:', 'dora'],
    ])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    // Another name changes no right, and is saved at once.
    await part(page, 'View todos').check()
    await page.getByLabel('Name', { exact: true }).fill('Front office')
    await save()
    await page.getByRole('heading', { name: 'Front office', level: 1 }).waitFor()
    await seeNobody(stage)
    await clean(stage)
    assertClean(visitor)
  },
}

/** Who holds a role is shown only to people who may list bindings. */
async function seeNobody(stage: Stage): Promise<void> {
  const rules = [{ apiGroups: [''], resources: ['roles'], verbs: ['get', 'list', 'watch', 'update'] }]
  const annotations = { 'rbac.authorization.platform.run/dependencies': '["todo-manage"]' }
  await stage.api('POST', roles, { metadata: { name: 'role-editor', annotations }, rules })
  await bind(stage, 'dora', 'role-editor')
  await using dora = await stage.as('dora')
  await dora.goTo('/roles/desk')
  await part(dora.page, 'Manage todos').check()
  await dora.page.getByRole('button', { name: 'Save role' }).click()
  await dora.page.getByText('Gained: Create, change and delete todos.').waitFor()
  await dora.page.getByText('You may not see who holds this role.').waitFor()
  assertClean(dora)
}

function part(page: Page, name: string) {
  return page.getByRole('checkbox', { name: new RegExp(`^${name}`) })
}

/** The heading and the names of each group of people in the dialog. */
async function groups(page: Page): Promise<readonly (readonly string[])[]> {
  const found = page.getByRole('dialog').locator('.group')
  await found.first().waitFor()
  const texts: string[][] = []
  for (const group of await found.all()) {
    const names = await group.locator('.person .cut').allInnerTexts()
    texts.push([await group.locator('p').first().innerText(), ...names])
  }
  return texts
}

async function bind(stage: Stage, user: string, role: string): Promise<void> {
  const body = { metadata: { name: `${user}-${role}` }, roleRef: { name: role }, subjects: [{ name: user }] }
  await stage.api('POST', bindings, body)
}

async function dependencies(stage: Stage): Promise<unknown> {
  const { metadata } = (await stage.api('GET', `${roles}/desk`)) as {
    readonly metadata: { readonly annotations: Readonly<Record<string, string>> }
  }
  return JSON.parse(metadata.annotations['rbac.authorization.platform.run/dependencies'] ?? '')
}

async function clean(stage: Stage): Promise<void> {
  for (const name of ['ann-desk', 'dora-desk', 'emil-desk', 'emil-todo-manage', 'dora-role-editor']) {
    await stage.api('DELETE', `${bindings}/${name}`)
  }
  for (const name of ['desk', 'role-editor']) await stage.api('DELETE', `${roles}/${name}`)
  for (const name of ['dora', 'emil']) await stage.api('DELETE', `${users}/${name}`)
}
