import { strictEqual } from 'node:assert/strict'
import type { WebSocketRoute } from 'playwright-core'
import type { Journey } from './journey.ts'
import { assertClean, makeTodo, todos } from './administration.ts'

const page = '/objects/todo.example.com/v1alpha1/todos'

export const create: Journey = {
  name: 'create an object with the form, with errors of the server shown at their fields',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    visitor.expectStatus(422)
    await visitor.goTo(page)
    const { page: at } = visitor
    await at.getByRole('button', { name: 'New todo' }).click()
    await at.getByLabel('Name', { exact: true }).fill('first')
    await at.getByLabel('Owner').fill('admin')
    await at.getByLabel('Start').fill('2026-12-02T10:00:00')
    await at.getByLabel('Due').fill('2026-12-01T10:00:00')
    await at.getByLabel('Title').fill('<img src=x onerror="document.title=\'taken\'">')
    await at.getByRole('button', { name: 'Create' }).click()
    await at.locator('.field', { hasText: 'Due' }).getByText('must be later than spec.start').waitFor()
    await at.getByLabel('Due').fill('2026-12-03T10:00:00')
    for (const [item, tag] of ['later', 'sooner'].entries()) {
      await at.getByRole('button', { name: 'Add tags' }).click()
      await at.getByLabel(`Item ${item + 1}`, { exact: true }).fill(tag)
    }
    await at.getByRole('button', { name: 'Move Item 2 up' }).click()
    await at.getByRole('button', { name: 'Create' }).click()
    await at.getByRole('heading', { name: 'first' }).waitFor()
    strictEqual(await at.title(), 'first · Pergola')
    strictEqual(await at.getByRole('navigation').locator('[aria-current]').innerText(), 'Todos')
    const { spec } = (await stage.api('GET', `${todos}/first`)) as { spec: Record<string, unknown> }
    strictEqual(JSON.stringify(spec['tags']), '["sooner","later"]')
    await visitor.goTo(page)
    // Stored values are shown as text, even if they look like markup.
    await at.getByRole('cell', { name: '<img src=x' }).waitFor()
    strictEqual((await at.title()).includes('taken'), false)
    assertClean(visitor)
  },
}

export const conflict: Journey = {
  name: 'two users edit the same object: each field is chosen from theirs and yours',
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
    await at.getByText('Somebody changed this object while you were editing it').waitFor()
    strictEqual(await at.getByLabel('Title').inputValue(), 'my title')
    await at.getByRole('button', { name: 'Save' }).click()
    const field = (name: string) => at.getByRole('dialog').getByRole('group', { name })
    const result = async (name: string) => (await field(name).getByRole('status').innerText()).split('\n').at(-1)
    await field('spec.owner').getByLabel('their owner').check()
    strictEqual(await result('spec.title'), 'my title')
    strictEqual(await result('spec.owner'), 'their owner')
    strictEqual(await result('spec.tags'), 'their tag')
    strictEqual(await at.getByRole('dialog').getByRole('group').count(), 3, 'only fields that differ')
    await at.getByRole('button', { name: 'Save the result' }).click()
    await at.getByText('Saved.').waitFor()
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
    // Not over a selection: Chromium would keep its styles, which the page forbids.
    const retype = async (to: string) => {
      await text.press('ControlOrMeta+a')
      await text.press('Delete')
      await at.keyboard.insertText(to)
    }
    const stored = await text.innerText()
    await retype(stored.replace('as it was', '"my title'))
    await at.getByText('This is not YAML').waitFor()
    await stage.api('PATCH', `${todos}/as-text`, { spec: { owner: 'their owner' } })
    await at.getByText('Somebody changed this object while you were editing it').waitFor()
    strictEqual((await text.innerText()).includes('"my title'), true)
    await at.getByRole('tab', { name: 'Form' }).click()
    await at.getByText('Correct it there first').waitFor()
    await at.getByRole('tab', { name: 'YAML' }).click()
    await retype(stored.replace('as-text', 'another'))
    await at.getByText('metadata.name stays as-text').waitFor()
    await retype(stored.replace('as it was', 'my title'))
    await at.getByRole('button', { name: 'Save', exact: true }).click()
    await at.getByRole('button', { name: 'Save the result' }).click()
    await at.getByText('Saved.').waitFor()
    const { spec } = (await stage.api('GET', `${todos}/as-text`)) as { spec: Record<string, unknown> }
    strictEqual(JSON.stringify([spec['title'], spec['owner']]), JSON.stringify(['my title', 'their owner']))

    await visitor.goTo(page)
    await at.getByRole('button', { name: 'New todo' }).click()
    await at.getByLabel('Name', { exact: true }).fill('typed')
    await at.getByRole('tab', { name: 'YAML' }).click()
    const typed = await text.innerText()
    await retype(typed.replace('name: typed', 'name: typed\n  labels:\n    example.com/by: me').replace('""', 'typed'))
    await at.getByRole('tab', { name: 'Form' }).click()
    await at.getByLabel('Owner').fill('admin')
    await at.getByLabel('Title').fill('typed twice')
    await at.getByRole('button', { name: 'Create' }).click()
    await at.getByRole('heading', { name: 'typed' }).waitFor()
    const { metadata } = (await stage.api('GET', `${todos}/typed`)) as { metadata: Record<string, unknown> }
    strictEqual(JSON.stringify(metadata['labels']), '{"example.com/by":"me"}')
    assertClean(visitor)
  },
}

export const live: Journey = {
  name: 'a change in one browser appears in another',
  run: async (stage) => {
    await using one = await stage.as('admin')
    await using other = await stage.as('admin')
    await one.goTo(page)
    await other.goTo(`${page}/first`)
    await other.page.getByLabel('Title').fill('changed by the other')
    await other.page.getByRole('button', { name: 'Save' }).click()
    await one.page.getByRole('cell', { name: 'changed by the other' }).waitFor()
    await one.goTo(`${page}/first`)
    await makeTodo(stage, 'second', { title: 'the second' })
    await other.goTo(page)
    await other.page.getByRole('link', { name: 'second' }).waitFor()
    await stage.api('PATCH', `${todos}/first`, { spec: { title: 'by the API' } })
    await one.page.waitForFunction(
      "[...document.querySelectorAll('input')].some(({ value }) => value === 'by the API')",
    )
    assertClean(one)
    assertClean(other)
  },
}

export const find: Journey = {
  name: 'filter, sort and page a table, and restore the view from its URL',
  run: async (stage) => {
    for (let at = 0; at < 25; at++) {
      await makeTodo(stage, `bulk-${String(at).padStart(2, '0')}`, {
        title: `bulk ${at}`,
        owner: at % 2 ? 'ann' : 'admin',
      })
    }
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    await visitor.goTo(page)
    await at.getByText('Page 1 of 2').waitFor()
    await at.getByRole('button', { name: 'Next page' }).click()
    await at.getByText('Page 2 of 2').waitFor()
    await at.getByLabel('Field').selectOption('spec.owner')
    await at.getByLabel('Value').fill('ann')
    await at.getByRole('button', { name: 'Add filter' }).click()
    await at.getByText('Page 1 of 1').waitFor()
    strictEqual(await at.getByRole('row').count(), 13)
    await at.getByRole('button', { name: 'Edit as text' }).click()
    const text = at.getByLabel('Filter as text')
    strictEqual(await text.inputValue(), 'spec.owner=ann')
    await text.fill('spec.owner=(ann')
    await text.press('Enter')
    await at.getByRole('alert').waitFor()
    await text.fill('spec.owner=ann,metadata.name=bulk-23')
    await text.press('Enter')
    await at.getByText('1–1 of 1').waitFor()
    await text.fill('spec.owner=ann')
    await at.getByRole('button', { name: 'Apply' }).click()
    await at.getByText('1–12 of 12').waitFor()
    await at.getByRole('button', { name: 'Edit as conditions' }).click()
    await at.getByRole('button', { name: 'Remove the filter spec.owner=ann' }).waitFor()
    await at.getByRole('button', { name: 'Name', exact: true }).click()
    await at.getByRole('button', { name: /^Name/ }).click()
    await at.getByRole('row').nth(1).getByText('bulk-23').waitFor()
    await at.reload()
    await at.getByRole('row').nth(1).getByText('bulk-23').waitFor()
    strictEqual(await at.getByRole('row').count(), 13)
    assertClean(visitor)
  },
}

export const known: Journey = {
  name: 'the page of an object shows its activity, and who may change it',
  run: async (stage) => {
    await makeTodo(stage, 'known', { title: 'before' })
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    await visitor.goTo(`${page}/known`)
    await at.getByRole('tab', { name: 'Activity' }).click()
    await at.getByText('No changes yet').waitFor()
    await stage.api('PATCH', `${todos}/known`, { spec: { title: 'after' } })
    await at.getByRole('listitem').filter({ hasText: 'spec.title' }).getByText('before → after').waitFor()
    await at.getByText('1, changed once').waitFor()
    await at.getByRole('tab', { name: 'Access' }).click()
    const role = at.getByRole('row', { name: /^todo-view/ })
    await role.getByRole('link', { name: 'ann' }).waitFor()
    strictEqual(JSON.stringify((await role.getByRole('cell').allInnerTexts()).slice(1, 4)), '["yes","–","–"]')
    // The address leads to the same tab. Ann may view todos, and nothing else.
    await using ann = await stage.as('ann')
    await ann.page.goto(at.url())
    await ann.page.getByText('See: yes').waitFor()
    await ann.page.getByText('Change: no').waitFor()
    await stage.api('DELETE', `${todos}/known`)
    assertClean(visitor)
    assertClean(ann)
  },
}

export const connection: Journey = {
  name: 'the top bar says whether the page is live, and since when',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    const dot = at.getByRole('banner').getByRole('group')
    const sockets: WebSocketRoute[] = []
    let isCut = false
    await at.routeWebSocket(/todos/, (socket) => {
      if (isCut) return void socket.close()
      socket.connectToServer()
      sockets.push(socket)
    })
    await visitor.goTo(page)
    await dot.getByText(/^Live since .*\d/).waitFor()
    isCut = true
    for (const socket of sockets) await socket.close()
    await dot.getByText(/^The connection was lost at .*\d/).waitFor()
    isCut = false
    await dot.getByText('Live', { exact: true }).waitFor()
    assertClean(visitor)
  },
}

/** Counts the rows that flash. */
const countFlashes = `window.flashes = 0
document.addEventListener('animationstart', ({ animationName }) => { if (animationName.startsWith('flash')) window.flashes++ })`

export const reading: Journey = {
  name: 'read a table by keyboard: changes come in place, new objects wait for a click',
  run: async (stage) => {
    for (const at of [1, 2]) await makeTodo(stage, `reading-${at}`, { title: `to read ${at}` })
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    const { keyboard } = at
    await visitor.goTo(page)
    await at.getByRole('link', { name: 'reading-1' }).waitFor()
    await keyboard.press('/')
    await keyboard.type('reading')
    await keyboard.press('Enter')
    await at.getByText('1–2 of 2').waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await at.getByRole('heading', { name: 'reading-1' }).waitFor()
    await at.goBack()
    await at.getByText('1–2 of 2').waitFor()

    await at.evaluate(countFlashes)
    await stage.api('PATCH', `${todos}/reading-1`, { spec: { title: 'another title' } })
    await at.getByRole('cell', { name: 'another title' }).waitFor()
    await at.waitForFunction('window.flashes === 1')
    for (const one of [3, 4]) await makeTodo(stage, `reading-${one}`, { title: `to read ${one}` })
    const fresh = at.getByRole('button', { name: '2 new' })
    await fresh.waitFor()
    strictEqual(await at.getByRole('row').count(), 3, 'a new object moves what is being read')
    await stage.api('DELETE', `${todos}/reading-1`)
    await at.getByRole('link', { name: 'reading-1' }).waitFor({ state: 'detached' })
    strictEqual(await at.getByRole('row').count(), 2)
    await fresh.click()
    await at.getByRole('link', { name: 'reading-4' }).waitFor()
    strictEqual(await at.getByRole('row').count(), 4)
    assertClean(visitor)
  },
}

export const columns: Journey = {
  name: 'choose the columns of a table, remembered for its model',
  run: async (stage) => {
    await makeTodo(stage, 'in-columns', { title: 'with columns', start: '2036-12-01T10:00:00Z' })
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    const head = (name: string) => at.getByRole('columnheader', { name, exact: true })
    await visitor.goTo(page)
    await head('Owner').waitFor()
    await at.getByRole('button', { name: 'Columns' }).click()
    await at.getByLabel('Owner', { exact: true }).uncheck()
    await at.getByLabel('Start', { exact: true }).check()
    await head('Owner').waitFor({ state: 'detached' })
    await at.reload()
    await head('Start').waitFor()
    strictEqual(await head('Owner').count(), 0, 'a column that was removed')
    await at.getByRole('button', { name: 'Columns' }).click()
    await at.getByRole('button', { name: 'Default columns' }).click()
    await head('Owner').waitFor()
    await head('Start').waitFor({ state: 'detached' })
    await stage.api('DELETE', `${todos}/in-columns`)
    assertClean(visitor)
  },
}
