import { strictEqual } from 'node:assert/strict'
import type { WebSocketRoute } from 'playwright-core'
import type { Journey } from './journey.ts'
import { assertClean, makeTodo, todos } from './administration.ts'

const page = '/objects/todo.example.com/v1alpha1/todos'

export const live: Journey = {
  name: 'a change in one browser appears in another',
  run: async (stage) => {
    await using one = await stage.as('admin')
    await using other = await stage.as('admin')
    await one.goTo(page)
    await other.goTo(`${page}/first`)
    await other.page.getByLabel('Title').fill('changed by the other')
    await other.page.keyboard.press('Control+S')
    await one.page.getByRole('cell', { name: 'changed by the other' }).waitFor()
    await one.goTo(`${page}/first`)
    await makeTodo(stage, 'second', { title: 'the second' })
    await other.goTo(page)
    await other.page.getByRole('link', { name: 'the second' }).waitFor()
    await stage.api('PATCH', `${todos}/first`, { spec: { title: 'by the API' } })
    await one.page.waitForFunction(
      "[...document.querySelectorAll('input')].some(({ value }) => value === 'by the API')",
    )
    assertClean(one)
    assertClean(other)
  },
}

export const find: Journey = {
  name: 'filter, sort and page a table; Back takes each step back, and the URL restores the view',
  run: async (stage) => {
    for (let at = 0; at < 55; at++) {
      await makeTodo(stage, `bulk-${String(at).padStart(2, '0')}`, {
        title: `bulk ${String(at).padStart(2, '0')}`,
        owner: at % 2 ? 'ann' : 'admin',
      })
    }
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    const { keyboard } = at
    await visitor.goTo(page)
    await at.getByText(/^1–50 of/).waitFor()
    await at.getByRole('button', { name: 'Next page' }).click()
    await at.getByText(/^51–\d+ of/).waitFor()
    await keyboard.press('/')
    await keyboard.type('owner')
    await keyboard.press('Enter')
    await at.getByRole('option', { name: 'is', exact: true }).click()
    await keyboard.type('ann')
    await keyboard.press('Enter')
    await at.getByText('1–27 of 27').waitFor()
    await at.getByRole('button', { name: 'Remove the filter Owner is ann' }).waitFor()
    // A selector in the API's syntax can be pasted; the filter keeps the focus.
    await keyboard.insertText('metadata.name=bulk-23')
    await keyboard.press('Enter')
    await at.getByText('1–1 of 1').waitFor()
    await at.goBack()
    await at.getByText('1–27 of 27').waitFor()
    await at.goBack()
    await at.getByText(/^51–\d+ of/).waitFor()
    await at.goForward()
    await at.getByText('1–27 of 27').waitFor()
    await at.getByRole('button', { name: 'Display' }).click()
    await at.getByLabel('API name').check()
    await keyboard.press('Escape')
    await at.getByRole('button', { name: 'API name', exact: true }).click()
    await at.getByRole('button', { name: 'API name' }).click()
    await at.getByRole('row').nth(1).getByText('bulk 53').waitFor()
    await at.reload()
    await at.getByRole('row').nth(1).getByText('bulk 53').waitFor()
    strictEqual(await at.getByRole('row').count(), 28)
    // The link back from an object keeps the filter.
    await at.getByRole('link', { name: 'bulk 51' }).press('Enter')
    await at.getByRole('heading', { name: 'bulk 51', level: 1 }).waitFor()
    await at.getByRole('navigation', { name: 'Way back' }).getByRole('link').click()
    await at.getByText('1–27 of 27').waitFor()
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
    await at.getByText('No changes yet').waitFor()
    await stage.api('PATCH', `${todos}/known`, { spec: { title: 'after' } })
    await at.getByRole('log').getByText('before → after').waitFor()
    await at.getByText('once').waitFor()
    await at.getByRole('tab', { name: 'Access' }).click()
    const role = at.getByRole('row', { name: /^(todo-view|View todos)/ })
    await role.getByRole('link', { name: 'ann' }).waitFor()
    strictEqual(JSON.stringify((await role.getByRole('cell').allInnerTexts()).slice(1, 4)), '["yes","–","–"]')
    // The address selects the same tab. Ann may only view todos.
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
  name: 'the head of the page says whether it is live, and a bar when the server is away',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    const dot = at.locator('header').getByRole('status')
    const sockets: WebSocketRoute[] = []
    let isCut = false
    await at.routeWebSocket(/todos/, (socket) => {
      if (isCut) return void socket.close()
      socket.connectToServer()
      sockets.push(socket)
    })
    await visitor.goTo(page)
    await dot.getByText('Live', { exact: true }).waitFor()
    isCut = true
    for (const socket of sockets) await socket.close()
    await dot.getByText('Reconnecting').waitFor()
    isCut = false
    await dot.getByText('Live', { exact: true }).waitFor()
    assertClean(visitor)
  },
}

export const away: Journey = {
  name: 'a filter while the server is away: no row is shown as its result',
  run: async (stage) => {
    await makeTodo(stage, 'away-open', { title: 'away and open', state: 'open' })
    await using visitor = await stage.as('admin')
    visitor.expectDisconnection()
    const { page: at } = visitor
    await visitor.goTo(`${page}?where=${encodeURIComponent('metadata.name^=away')}`)
    await at.getByRole('link', { name: 'away and open' }).waitFor()
    await at.context().setOffline(true)
    await at.getByText('Connection lost.').waitFor()
    await at.keyboard.press('/')
    await at.keyboard.insertText('spec.state=done')
    await at.keyboard.press('Enter')
    await at.getByText('not applied yet').first().waitFor()
    strictEqual(await at.locator('.stale').count(), 1, 'rows of another question look like its result')
    // The code of a page cannot be loaded: an error page replaces it, and the menu stays.
    await visitor.choose('Metrics')
    await at.getByText('This page did not load').waitFor()
    await at.context().setOffline(false)
    await at.getByText('Connection lost.').waitFor({ state: 'detached' })
    await at.getByRole('button', { name: 'Try again' }).click()
    await at.getByRole('heading', { name: 'Metrics' }).waitFor()
    await stage.api('DELETE', `${todos}/away-open`)
    assertClean(visitor)
  },
}

/** Notes statements about the rows that nobody can know while the server is down. */
const noteStatements = `window.statements = []
new MutationObserver(() => {
  for (const text of ['Nothing matches', 'No todos yet', 'cannot be reached']) {
    if (document.querySelector('main').innerText.includes(text)) window.statements.push(text)
  }
}).observe(document.body, { subtree: true, childList: true, characterData: true })`

export const down: Journey = {
  name: 'rows stay while every request fails, and answer the filter once the server is back',
  run: async (stage) => {
    await makeTodo(stage, 'down-open', { title: 'down and open', state: 'open' })
    await makeTodo(stage, 'down-done', { title: 'down and done', state: 'done' })
    await using visitor = await stage.as('admin')
    visitor.expectDisconnection()
    const { page: at } = visitor
    await visitor.goTo(`${page}?where=${encodeURIComponent('metadata.name^=down')}`)
    await at.getByText('1–2 of 2').waitFor()
    await at.evaluate(noteStatements)
    let refused = 0
    await at.route('**/apis/**', async (route) => {
      if (route.request().url().includes('/todos?')) refused++
      await route.abort()
    })
    await at.keyboard.press('/')
    await at.keyboard.insertText('spec.state=done')
    await at.keyboard.press('Enter')
    await stage.until('the list is tried again', async () => refused >= 4)
    await at.getByText('not applied yet').first().waitFor()
    strictEqual(await at.locator('.stale').count(), 1)
    await at.getByRole('link', { name: 'down and open' }).waitFor()
    strictEqual(JSON.stringify(await at.evaluate('window.statements')), '[]')
    await at.unroute('**/apis/**')
    await at.getByText('1–1 of 1').waitFor()
    await at.getByRole('link', { name: 'down and done' }).waitFor()
    strictEqual(await at.getByText('not applied yet').count(), 0)
    for (const one of ['down-open', 'down-done']) await stage.api('DELETE', `${todos}/${one}`)
    assertClean(visitor)
  },
}

export const bulk: Journey = {
  name: 'delete 200 objects at once, with a way back before anything is sent',
  run: async (stage) => {
    const count = 200
    const names = Array.from({ length: count }, (_, at) => `many-${String(at).padStart(3, '0')}`)
    for (const name of names) await makeTodo(stage, name, { title: name, owner: 'bulk' })
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    const deletes: string[] = []
    at.on('request', (request) => request.method() === 'DELETE' && deletes.push(request.url()))
    await visitor.goTo(`${page}?where=${encodeURIComponent('spec.owner=bulk')}`)
    await at.getByText('1–50 of 200').waitFor()
    const select = async () => {
      await at.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
      await at.getByRole('button', { name: 'Select all 200' }).click()
      await at.getByRole('button', { name: 'Delete' }).click()
      await at.getByText('200 todos deleted').waitFor()
    }
    await select()
    await at.getByRole('button', { name: 'Undo' }).click()
    await at.getByText('1–50 of 200').waitFor()
    strictEqual(deletes.length, 0, 'something was deleted before the time was over')
    await select()
    await stage.until('all are deleted', async () => {
      const list = (await stage.api('GET', `${todos}?fieldSelector=spec.owner%3Dbulk&size=1`)) as { total: number }
      return list.total === 0
    })
    await at.getByText('Nothing matches the filter').waitFor()
    assertClean(visitor)
  },
}

export const closing: Journey = {
  name: 'closing the page sends a deletion that could still be undone',
  run: async (stage) => {
    const count = 120
    for (let at = 0; at < count; at++) await makeTodo(stage, `closing-${at}`, { title: `${at}`, owner: 'closing' })
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    await visitor.goTo(`${page}?where=${encodeURIComponent('spec.owner=closing')}`)
    await at.getByText(`1–50 of ${count}`).waitFor()
    await at.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await at.getByRole('button', { name: `Select all ${count}` }).click()
    await at.getByRole('button', { name: 'Delete' }).click()
    await at.getByText(`${count} todos deleted`).waitFor()
    await at.goto('about:blank')
    await stage.until('all are deleted', async () => {
      const list = (await stage.api('GET', `${todos}?fieldSelector=spec.owner%3Dclosing&size=1`)) as { total: number }
      return list.total === 0
    })
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
    await at.getByRole('link', { name: 'to read 1' }).waitFor()
    await keyboard.press('/')
    await keyboard.type('reading')
    await at.getByRole('option', { name: 'API name begins with' }).click()
    await at.getByText('1–2 of 2').waitFor()
    await at.locator('h1').focus()
    await keyboard.press('j')
    await keyboard.press('j')
    await keyboard.press(' ')
    await at.getByRole('complementary', { name: 'to read 1' }).waitFor()
    await keyboard.press('Escape')
    await at.getByRole('complementary').waitFor({ state: 'detached' })
    await keyboard.press('x')
    await at.getByText('1 selected').waitFor()
    await keyboard.press('x')
    await keyboard.press('Enter')
    await at.getByRole('heading', { name: 'to read 1', level: 1 }).waitFor()
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
    await at.getByRole('link', { name: 'another title' }).waitFor({ state: 'detached' })
    strictEqual(await at.getByRole('row').count(), 2)
    await fresh.click()
    await at.getByRole('link', { name: 'to read 4' }).waitFor()
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
    await at.getByRole('button', { name: 'Display' }).click()
    await at.getByLabel('Owner', { exact: true }).uncheck()
    await at.getByLabel('Start', { exact: true }).check()
    await head('Owner').waitFor({ state: 'detached' })
    await at.reload()
    await head('Start').waitFor()
    strictEqual(await head('Owner').count(), 0, 'a column that was removed')
    await at.getByRole('button', { name: 'Display' }).click()
    await at.getByRole('button', { name: 'Default columns' }).click()
    await head('Owner').waitFor()
    await head('Start').waitFor({ state: 'detached' })
    await stage.api('DELETE', `${todos}/in-columns`)
    assertClean(visitor)
  },
}
