import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { password } from '../stage.ts'
import { assertClean, makeTodo, todos } from './administration.ts'
import type { Journey } from './journey.ts'
import { installPurchasing } from './plugins.ts'

const page = '/objects/todo.example.com/v1alpha1/todos'

export const create: Journey = {
  name: 'create an object with the form, with errors of the server shown at their fields',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    visitor.expectStatus(422)
    await visitor.goTo(page)
    const { page: at } = visitor
    await at.getByRole('link', { name: 'New todo' }).first().click()
    await at.getByLabel('Owner').fill('admin')
    await at.getByLabel('Start', { exact: true }).fill('2 Dec 2026')
    await at.getByLabel('Due', { exact: true }).fill('1 Dec 2026')
    await at.getByLabel('Title').fill('<img src=x onerror="document.title=\'taken\'">')
    await at.getByText('More', { exact: true }).click()
    await at.getByLabel('API name').fill('first')
    await at.getByRole('button', { name: 'Create todo' }).click()
    await at.locator('.field', { hasText: 'Due' }).getByText('must be later than spec.start').waitFor()
    // The first invalid field has the focus.
    strictEqual(await at.evaluate("document.activeElement?.getAttribute('data-pointer')"), '/spec/due')
    await at.getByLabel('Due', { exact: true }).fill('3 Dec 2026')
    await at.getByLabel('Tags').fill('sooner')
    await at.keyboard.press('Enter')
    await at.keyboard.type('later,')
    await at.keyboard.press('Control+S')
    await at.getByRole('heading', { name: '<img src=x' }).waitFor()
    strictEqual(await at.getByRole('navigation', { name: 'Menu' }).locator('[aria-current]').innerText(), 'Todos')
    const { spec } = (await stage.api('GET', `${todos}/first`)) as { spec: Record<string, unknown> }
    strictEqual(JSON.stringify(spec['tags']), '["sooner","later"]')
    await visitor.goTo(page)
    // Stored values are shown as text, even if they look like markup.
    await at.getByRole('cell', { name: '<img src=x' }).waitFor()
    strictEqual((await at.title()).startsWith('taken'), false)
    assertClean(visitor)
  },
}

export const conflict: Journey = {
  name: 'two users edit the same object: each field that both changed is chosen, the rest is merged',
  run: async (stage) => {
    await makeTodo(stage, 'shared', { title: 'as it was' })
    await using visitor = await stage.as('admin')
    visitor.expectStatus(409)
    const { page: at } = visitor
    await visitor.goTo(`${page}/shared`)
    await at.getByLabel('Title').fill('my title')
    await at.getByLabel('Owner').fill('my owner')
    await stage.api('PATCH', `${todos}/shared`, {
      spec: { title: 'their title', owner: 'their owner', tags: ['their tag'] },
    })
    await at.getByText('Somebody saved this while you were editing').waitFor()
    strictEqual(await at.getByLabel('Title').inputValue(), 'my title')
    await at.getByRole('button', { name: 'Save', exact: false }).last().click()
    const field = (name: string) => at.getByRole('dialog').getByRole('group', { name })
    const result = async (name: string) =>
      (await field(name).getByRole('status').innerText()).split('\n').at(-1)?.trim()
    await field('Owner').getByLabel('their owner').check()
    strictEqual(await result('Title'), 'my title')
    strictEqual(await result('Owner'), 'their owner')
    strictEqual(await at.getByRole('dialog').getByRole('group').count(), 2, 'only fields that both changed')
    await at.getByText('Merged automatically').waitFor()
    await at.getByRole('button', { name: 'Save the result' }).click()
    await at.getByText('Saved', { exact: true }).waitFor()
    const { spec } = (await stage.api('GET', `${todos}/shared`)) as { spec: Record<string, unknown> }
    strictEqual(
      JSON.stringify([spec['title'], spec['owner'], spec['tags']]),
      JSON.stringify(['my title', 'their owner', ['their tag']]),
    )
    assertClean(visitor)
  },
}

export const asText: Journey = {
  name: 'edit an object as YAML: a text that cannot be read yet survives a change by somebody else',
  run: async (stage) => {
    await makeTodo(stage, 'as-text', { title: 'as it was' })
    await using visitor = await stage.as('admin')
    visitor.expectStatus(409)
    const { page: at } = visitor
    await visitor.goTo(`${page}/as-text?tab=yaml`)
    const text = at.getByRole('textbox', { name: 'YAML' })
    // Without a selection: Chromium would keep its styles, which the page's policy forbids.
    const retype = async (to: string) => {
      await text.press('ControlOrMeta+a')
      await text.press('Delete')
      await at.keyboard.insertText(to)
    }
    const stored = await text.innerText()
    await retype(stored.replace('as it was', '"my title'))
    await at.getByText('This is not YAML').waitFor()
    await stage.api('PATCH', `${todos}/as-text`, { spec: { owner: 'their owner' } })
    await at.getByText('Somebody saved this while you were editing').waitFor()
    strictEqual((await text.innerText()).includes('"my title'), true)
    await at.getByRole('tab', { name: 'Form' }).click()
    await at.getByText('Correct it there first').waitFor()
    await at.getByRole('tab', { name: 'YAML' }).click()
    await retype(stored.replace('as-text', 'another'))
    await at.getByText('metadata.name stays as-text').waitFor()
    await retype(stored.replace('as it was', 'my title'))
    // Each side has changed another field: both changes are merged without asking.
    await at.getByRole('button', { name: /^Save/ }).click()
    await at.getByText('Saved', { exact: true }).waitFor()
    const { spec } = (await stage.api('GET', `${todos}/as-text`)) as { spec: Record<string, unknown> }
    strictEqual(JSON.stringify([spec['title'], spec['owner']]), JSON.stringify(['my title', 'their owner']))

    await visitor.goTo(page)
    await at.getByRole('link', { name: 'New todo' }).first().click()
    await at.getByText('More', { exact: true }).click()
    await at.getByLabel('API name').fill('typed')
    await at.getByRole('tab', { name: 'YAML' }).click()
    const typed = await text.innerText()
    await retype(typed.replace('name: typed', 'name: typed\n  labels:\n    example.com/by: me').replace('""', 'typed'))
    await at.getByRole('tab', { name: 'Form' }).click()
    await at.getByLabel('Owner').fill('admin')
    await at.getByLabel('Title').fill('typed twice')
    await at.getByRole('button', { name: 'Create todo' }).click()
    await at.getByRole('heading', { name: 'typed twice' }).waitFor()
    const { metadata } = (await stage.api('GET', `${todos}/typed`)) as { metadata: Record<string, unknown> }
    strictEqual(JSON.stringify(metadata['labels']), '{"example.com/by":"me"}')
    assertClean(visitor)
  },
}

export const ended: Journey = {
  name: 'a session that ends during an edit: nothing typed is lost',
  run: async (stage) => {
    await makeTodo(stage, 'long-edit', { title: 'before' })
    await using visitor = await stage.as('admin')
    visitor.expectStatus(401)
    const { page: at } = visitor
    await visitor.goTo(`${page}/long-edit`)
    await at.getByLabel('Title').fill('typed for an hour')
    await at.context().clearCookies()
    await at.keyboard.press('Control+S')
    const dialog = at.getByRole('dialog')
    await dialog.getByText('Sign in again to go on').waitFor()
    await dialog.getByLabel('Password').fill('wrong')
    await dialog.getByRole('button', { name: 'Sign in and go on' }).click()
    await dialog.locator('[aria-invalid]').waitFor()
    await dialog.getByLabel('Password').fill(password)
    await dialog.getByRole('button', { name: 'Sign in and go on' }).click()
    await dialog.waitFor({ state: 'detached' })
    strictEqual(await at.getByLabel('Title').inputValue(), 'typed for an hour')
    // A reload keeps the draft too, in this tab and only for this user.
    const keeps = async () => (await at.evaluate("sessionStorage.getItem('pergola.drafts') ?? ''")) as string
    await stage.until('the draft is kept', async () => (await keeps()).includes('typed for an hour'))
    await at.reload()
    await at.getByText('1 unsaved change').first().waitFor()
    strictEqual(await at.getByLabel('Title').inputValue(), 'typed for an hour')
    await at.keyboard.press('Control+S')
    await at.getByText('Saved', { exact: true }).waitFor()
    const { spec } = (await stage.api('GET', `${todos}/long-edit`)) as { spec: Record<string, unknown> }
    strictEqual(spec['title'], 'typed for an hour')
    await stage.until('the draft is forgotten', async () => !(await keeps()).includes('typed for an hour'))
    await stage.api('DELETE', `${todos}/long-edit`)
    assertClean(visitor)
  },
}

export const byProvider: Journey = {
  name: 'a session that ends goes on after a sign-in by a provider in another tab; drafts of another user are erased',
  run: async (stage) => {
    await makeTodo(stage, 'by-provider', { title: 'before' })
    await using visitor = await stage.as('admin')
    visitor.expectStatus(401)
    const { page: at } = visitor
    const context = at.context()
    await context.route('**/auth/oidc', (route) =>
      route.fulfill({ json: { items: [{ name: 'acme', displayName: 'Acme', path: '/auth/oidc/acme' }] } }),
    )
    // Stands for the pages of the provider.
    await context.route('**/auth/oidc/acme?*', (route) =>
      route.fulfill({ status: 303, headers: { location: '/auth/login' } }),
    )
    const signIn = async (username: string) => {
      const opened = context.waitForEvent('page')
      await at.getByRole('dialog').getByRole('link', { name: 'Sign in with Acme' }).click()
      const other = await opened
      await other.getByLabel('User name').fill(username)
      await other.getByLabel('Password', { exact: true }).fill(password)
      await other.getByRole('button').last().click()
      await other.waitForURL((url) => !url.pathname.startsWith('/auth'))
      await other.close()
    }
    await visitor.goTo(`${page}/by-provider`)
    await at.getByLabel('Title').fill('typed for an hour')
    await context.clearCookies()
    await at.keyboard.press('Control+S')
    const dialog = at.getByRole('dialog')
    await signIn('ann')
    await dialog.getByRole('button', { name: 'Go on', exact: true }).click()
    await dialog.getByText('signed in as ann').waitFor()
    await context.clearCookies()
    await signIn('admin')
    if (await dialog.isVisible()) await dialog.getByRole('button', { name: 'Go on', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    strictEqual(await at.getByLabel('Title').inputValue(), 'typed for an hour')
    const keeps = async () => (await at.evaluate("sessionStorage.getItem('pergola.drafts') ?? ''")) as string
    await stage.until('the draft is kept', async () => (await keeps()).includes('typed for an hour'))
    // Another user signs in, in this tab.
    await context.clearCookies()
    await at.reload()
    await at.getByLabel('User name').fill('ann')
    await at.getByLabel('Password', { exact: true }).fill(password)
    await at.getByRole('button', { name: 'Sign in', exact: true }).click()
    await stage.until('the draft of another user is erased', async () => (await keeps()) === '')
    await stage.api('DELETE', `${todos}/by-provider`)
    assertClean(visitor)
  },
}

export const atItsPlace: Journey = {
  name: 'what is wrong is said at its field; an object that was deleted cannot be saved',
  run: async (stage) => {
    await using stranger = await stage.open()
    stranger.expectStatus(401)
    await stranger.goTo('/login')
    await stranger.page.getByLabel('User name').fill('admin')
    await stranger.page.getByLabel('Password', { exact: true }).fill('wrong')
    await stranger.page.getByRole('button', { name: 'Sign in' }).click()
    const field = stranger.page.locator('.field', { has: stranger.page.locator('[aria-invalid=true]') })
    await field
      .getByText(/password/i)
      .last()
      .waitFor()
    strictEqual(await stranger.page.getByText(/[0-9a-f]{8}-[0-9a-f]{4}-/).count(), 0, 'an ID that nobody can use')

    await makeTodo(stage, 'short-lived', { title: 'short-lived' })
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    await visitor.goTo(`${page}/short-lived`)
    await at.getByLabel('Title').fill('too late')
    await stage.api('DELETE', `${todos}/short-lived`)
    await at.getByText('Somebody deleted this').waitFor()
    strictEqual(await at.getByRole('button', { name: /^(Save|More actions)/ }).count(), 0)
    strictEqual(await at.locator('main').getByRole('textbox').count(), 0, 'a field that cannot be saved')
    await at.keyboard.press('Control+S')
    strictEqual(await at.getByRole('alert').count(), 0, 'a second message about the same')
    assertClean(visitor)
    assertClean(stranger)
  },
}

export const lookers: Journey = {
  name: 'who may only look gets text and the reason, no fields',
  run: async (stage) => {
    await makeTodo(stage, 'to-look-at', { title: 'to look at' })
    await using visitor = await stage.as('ann')
    const { page: at } = visitor
    await visitor.goTo(`${page}/to-look-at`)
    await at.getByText('You may look at this todo, not change it.').waitFor()
    await at.getByText(/^View todos comes closest/).waitFor()
    strictEqual(await at.locator('main').getByRole('textbox').count(), 0, 'a field that cannot be saved')
    strictEqual(await at.getByRole('button', { name: /^Save/ }).count(), 0)
    await visitor.goTo(page)
    strictEqual(await at.locator('main').getByRole('checkbox').count(), 0, 'a row that nothing can be done with')
    await at.goto(`${stage.url}/console${page}/-new`)
    await at.getByText('You may not create a todo').waitFor()
    strictEqual(await at.locator('main').getByRole('textbox').count(), 0)
    await stage.api('DELETE', `${todos}/to-look-at`)
    assertClean(visitor)
  },
}

const purchases = '/objects/purchasing.example.com/v1/purchases'

export const everyType: Journey = {
  name: 'a form with every schema type: each control writes what it shows, and wrong values are said, not corrected',
  run: async (stage) => {
    await installPurchasing(stage)
    await using visitor = await stage.as('admin')
    visitor.expectStatus(422)
    const { page: at } = visitor
    const { keyboard } = at
    await visitor.goTo(`${purchases}/-new`)
    await at.getByLabel('Title').fill('Standing desks')
    await at.getByRole('button', { name: /^State/ }).click()
    await at.getByRole('option', { name: 'To approve' }).click()
    await at.getByLabel('Amount').fill('-3')
    await at.getByText('At least 0.').waitFor()
    strictEqual(await at.getByLabel('Amount').inputValue(), '-3')
    await at.getByLabel('Amount').fill('8640.5')
    await at.getByLabel('Needed by').fill('24 Nov 2026')
    await at.getByLabel('Discount').fill('4')
    await at.getByLabel('Discount').press('ArrowUp')
    await at.getByRole('radio', { name: 'High' }).check()
    await at.getByLabel('Requested by').fill('adm')
    await at.getByRole('option', { name: /admin/ }).click()
    await at.getByLabel('Tags').fill('furniture,')
    await at.getByLabel('Supplier email').fill('orders@deskwerk')
    await at.getByText('Not a complete address').waitFor()
    await at.getByLabel('Supplier email').fill('orders@deskwerk.example')
    await at.getByLabel('Site').fill('https://deskwerk.example')
    await at.getByLabel('Meeting').fill('1 Dec 2026')
    await at.getByLabel('Meeting').press('Enter')
    await at.getByRole('switch', { name: 'Recurring' }).check()
    await at.getByLabel('Note').fill('Twelve desks')
    await at.getByRole('button', { name: 'Add to items' }).click()
    await keyboard.type('Desk frame')
    await at.getByLabel('Quantity, row 1').fill('12')
    await at.getByRole('button', { name: 'Add to items' }).click()
    await keyboard.type('Desk top')
    await keyboard.press('Alt+ArrowUp')
    await at.getByLabel('Street').fill('Rungestraße 20')
    await at.getByLabel('Key', { exact: true }).fill('cost-centre')
    await keyboard.press('Enter')
    await at.getByLabel('cost-centre', { exact: true }).fill('4711')
    await at.getByPlaceholder('Any value, as YAML').fill('{ retries: 3 }')
    await at.getByRole('button', { name: 'Create purchase' }).click()
    await at.getByRole('heading', { name: 'Standing desks' }).waitFor()
    const name = at.url().split('/').at(-1) ?? ''
    const { spec } = (await stage.api('GET', `/apis/purchasing.example.com/v1/purchases/${name}`)) as {
      spec: Record<string, unknown>
    }
    const { meeting, ...others } = spec
    strictEqual(typeof meeting === 'string' && meeting.startsWith('2026-12-01T'), true)
    deepStrictEqual(others, {
      title: 'Standing desks',
      state: 'toApprove',
      amount: 8640.5,
      neededBy: '2026-11-24',
      discount: 5,
      priority: 'high',
      requestedBy: 'admin',
      tags: ['furniture'],
      supplierEmail: 'orders@deskwerk.example',
      site: 'https://deskwerk.example',
      recurring: true,
      note: 'Twelve desks',
      items: [
        { item: 'Desk top', quantity: 1, price: 0 },
        { item: 'Desk frame', quantity: 12, price: 0 },
      ],
      delivery: { street: 'Rungestraße 20' },
      codes: { 'cost-centre': '4711' },
      extra: { retries: 3 },
    })
    assertClean(visitor)
  },
}
