import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { password } from '../stage.ts'
import { assertClean, makeTodo, tabTo, todos } from './administration.ts'
import type { Journey } from './journey.ts'
import { installPurchasing } from './plugins.ts'

export const tokens: Journey = {
  name: 'create a token, copy it once, and revoke it after a question',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    const { page } = visitor
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await visitor.goTo('/account')
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it is for').fill('nightly export')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const token = await dialog.getByLabel('Token', { exact: true }).inputValue()
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Token copied').waitFor()
    strictEqual(await page.evaluate('navigator.clipboard.readText()'), token)
    const isAccepted = async () =>
      (await fetch(`${stage.url}/apis`, { headers: { authorization: `Bearer ${token}` } })).status
    strictEqual(await isAccepted(), 200)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    strictEqual((await page.content()).includes(token), false, 'a token that is shown again')
    await page.getByRole('button', { name: 'Revoke nightly export' }).click()
    await dialog.getByRole('button', { name: 'Revoke token' }).waitFor()
    strictEqual(await isAccepted(), 200, 'revoked before the answer')
    await dialog.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('You have no tokens.').waitFor()
    strictEqual(await isAccepted(), 401)
    assertClean(visitor)
  },
}

export const people: Journey = {
  name: 'edit a user; a wrong password and an unknown user are said at their fields',
  run: async (stage) => {
    await stage.api('POST', '/api/v1alpha1/users', { metadata: { name: 'eve' }, spec: { displayName: 'Eve Adams' } })
    await using visitor = await stage.as('admin')
    visitor.expectStatus(403)
    visitor.expectStatus(404)
    const { page } = visitor
    await visitor.goTo('/users/eve')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Eve Brown')
    await page.getByRole('dialog').getByLabel('E-mail').fill('eve@harbour.example')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Eve Brown', level: 1 }).waitFor()
    const { spec } = (await stage.api('GET', '/api/v1alpha1/users/eve')) as { readonly spec: object }
    deepStrictEqual(spec, { displayName: 'Eve Brown', email: 'eve@harbour.example', disabled: false })

    await visitor.goTo('/why')
    await page.getByLabel('User', { exact: true }).fill('nobody-here')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('There is no user “nobody-here”.').waitFor()
    strictEqual(await page.getByLabel('User', { exact: true }).getAttribute('aria-invalid'), 'true')

    await visitor.goTo('/account')
    await page.getByLabel('Current password').fill('not the one')
    await page.getByLabel('New password').fill(password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('That is not your password.').waitFor()
    await stage.api('DELETE', '/api/v1alpha1/users/eve')
    assertClean(visitor)
  },
}

export const menus: Journey = {
  name: 'the account menu changes theme and density; a click on a row opens its preview',
  run: async (stage) => {
    await makeTodo(stage, 'clicked', { title: 'to be clicked' })
    await using visitor = await stage.as('admin')
    const { page } = visitor
    const me = page.locator('[data-user]').getByRole('button').first()
    await me.click()
    const themeOf = async () => page.evaluate("document.documentElement.dataset['theme']")
    strictEqual(await themeOf(), 'light')
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('button', { name: 'Theme' }).click()
    strictEqual(await themeOf(), 'dark')
    await page.getByRole('button', { name: 'Density' }).click()
    strictEqual(await page.evaluate("document.documentElement.dataset['density']"), 'comfortable')
    await page.keyboard.press('Escape')
    await me.click()
    await page.getByRole('link', { name: 'Tokens' }).click()
    await page.waitForURL(/\/account#tokens$/)

    await visitor.goTo('/objects/todo.example.com/v1alpha1/todos')
    const row = page.getByRole('row').filter({ hasText: 'to be clicked' })
    await row.getByRole('cell').last().click()
    await page.getByRole('complementary', { name: 'to be clicked' }).waitFor()
    match(page.url(), /open=clicked/)
    await row.getByRole('cell').last().click()
    await page.getByRole('complementary').waitFor({ state: 'detached' })
    await stage.api('DELETE', `${todos}/clicked`)
    assertClean(visitor)
  },
}

export const onlySeen: Journey = {
  name: 'settings and roles that may only be seen are text, with the reason; an edited role is not left without a question',
  run: async (stage) => {
    await installPurchasing(stage)
    const verbs = ['get', 'list', 'watch']
    await stage.api('POST', '/api/v1alpha1/roles', {
      metadata: { name: 'settings-reader' },
      rules: [
        { apiGroups: ['plugin.platform.run'], resources: ['plugins'], verbs },
        { apiGroups: [''], resources: ['configmaps', 'roles'], verbs },
      ],
    })
    await stage.api('POST', '/api/v1alpha1/rolebindings', {
      metadata: { name: 'ann-settings' },
      roleRef: { name: 'settings-reader' },
      subjects: [{ name: 'ann' }],
    })
    await using ann = await stage.as('ann')
    ann.expectStatus(403)
    ann.expectStatus(404)
    await ann.goTo('/plugins/purchasing?tab=settings')
    await ann.page.getByText('You may look at these settings, not change them.').waitFor()
    await ann.page.getByText('24').first().waitFor()
    strictEqual(await ann.page.locator('main').getByRole('textbox').count(), 0, 'a field that cannot be saved')
    await ann.goTo('/roles/-new')
    await ann.page.getByText('You may not create a role').waitFor()
    strictEqual(await ann.page.locator('main').getByRole('textbox').count(), 0, 'a field that cannot be saved')
    assertClean(ann)

    await using admin = await stage.as('admin')
    const { page } = admin
    await admin.goTo('/roles/-new')
    await page.getByLabel('Name', { exact: true }).fill('Auditor')
    const asked = page.waitForEvent('dialog')
    const left = admin.choose('Users')
    await (await asked).dismiss()
    await left
    strictEqual(await page.getByLabel('Name', { exact: true }).inputValue(), 'Auditor')
    page.once('dialog', (dialog) => void dialog.accept())
    await admin.choose('Users')
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
    await stage.api('DELETE', '/api/v1alpha1/rolebindings/ann-settings')
    await stage.api('DELETE', '/api/v1alpha1/roles/settings-reader')
    assertClean(admin)
  },
}

export const bindingsList: Journey = {
  name: 'the list of role bindings names role and users; an overdue day is marked while its object is open',
  run: async (stage) => {
    const due = '2026-01-05T10:00:00Z'
    await makeTodo(stage, 'overdue-open', { title: 'long overdue', due })
    await makeTodo(stage, 'overdue-done', { title: 'done in time', due, state: 'done' })
    await using visitor = await stage.as('admin')
    const { page } = visitor
    await visitor.goTo('/objects/-/v1alpha1/rolebindings')
    await page.getByRole('columnheader', { name: 'Users' }).waitFor()
    await page
      .getByRole('row')
      .filter({ hasText: 'todo-view' })
      .getByRole('cell')
      .filter({ hasText: /^\W*ann/i })
      .first()
      .waitFor()
    await visitor.goTo('/objects/todo.example.com/v1alpha1/todos')
    const row = (title: string) => page.getByRole('row').filter({ hasText: title })
    await row('long overdue')
      .getByTitle(/^Overdue since 5 Jan 2026/)
      .waitFor()
    strictEqual(
      await row('done in time')
        .getByTitle(/^Overdue/)
        .count(),
      0,
    )
    for (const one of ['overdue-open', 'overdue-done']) await stage.api('DELETE', `${todos}/${one}`)
    // The column headers are reached by Tab, and sort.
    await tabTo(visitor, page.getByRole('button', { name: 'Owner' }))
    await page.keyboard.press('Enter')
    await page.waitForURL(/sort=spec.owner/)
    assertClean(visitor)
  },
}
