import { ok, strictEqual } from 'node:assert/strict'
import { assertClean, makeTodo, tabTo, todos } from './administration.ts'
import type { Journey } from './journey.ts'

const titleOf = async (spec: Promise<unknown>) =>
  ((await spec) as { readonly spec: { readonly title: string } }).spec.title

const focused = "document.activeElement?.getAttribute('data-pointer')"

export const byKeys: Journey = {
  name: 'filter, select, create, edit and delete by keyboard alone',
  run: async (stage) => {
    for (const at of [1, 2, 3]) await makeTodo(stage, `keys-${at}`, { title: `by keys ${at}` })
    await using visitor = await stage.as('admin')
    const { page: at } = visitor
    const { keyboard } = at
    const type = async (text: string) => {
      await keyboard.type(text)
      await keyboard.press('Enter')
    }
    // Opens the list through the search.
    await keyboard.press('Control+K')
    await at.getByRole('dialog').getByRole('combobox').waitFor()
    await keyboard.type('todos')
    await at
      .getByRole('option', { name: /^Todos/ })
      .first()
      .waitFor()
    await keyboard.press('Enter')
    await at.getByRole('heading', { name: 'Todos', level: 1 }).waitFor()
    await at.getByRole('link', { name: 'by keys 1' }).waitFor()
    await keyboard.press('/')
    await type('api name')
    await type('begins')
    await type('keys')
    await at.getByText('1–3 of 3').waitFor()
    // Selects two rows as a range and deletes them; Undo has a key too.
    await keyboard.press('Escape')
    // The newest is first.
    await tabTo(visitor, at.getByRole('link', { name: 'by keys 3' }))
    await keyboard.press('x')
    await keyboard.press('j')
    await keyboard.press('Shift+X')
    await at.getByText('2 selected').waitFor()
    await tabTo(visitor, at.getByRole('toolbar').getByRole('button', { name: 'Delete' }))
    await keyboard.press('Enter')
    await at.getByText('1–1 of').waitFor()
    await tabTo(visitor, at.getByRole('button', { name: 'Undo' }))
    await keyboard.press('Enter')
    await at.getByText('1–3 of 3').waitFor()

    await keyboard.press('n')
    await at.getByRole('heading', { name: 'New todo' }).waitFor()
    await tabTo(visitor, at.getByLabel('Title'))
    await keyboard.type('by keys 4')
    for (let tabs = 0; tabs < 40; tabs++) {
      await keyboard.press('Tab')
      if ((await at.evaluate(focused)) === '/spec/owner') break
    }
    await keyboard.type('admin')
    await keyboard.press('Escape')
    await keyboard.press('Control+S')
    await at.getByRole('heading', { name: 'by keys 4', level: 1 }).waitFor()
    const name = at.url().split('/').at(-1) ?? ''
    await tabTo(visitor, at.getByLabel('Title'))
    await keyboard.press('Control+A')
    await keyboard.type('by keys alone')
    await keyboard.press('Control+S')
    await at.getByText('Saved', { exact: true }).waitFor()
    strictEqual(await titleOf(stage.api('GET', `${todos}/${name}`)), 'by keys alone')
    for (const one of ['keys-1', 'keys-2', 'keys-3', name]) await stage.api('DELETE', `${todos}/${one}`)
    assertClean(visitor)
  },
}

export const byThumb: Journey = {
  name: 'on a phone: menu, cards, filter, edit, select and undo',
  run: async (stage) => {
    for (const at of [1, 2, 3]) await makeTodo(stage, `thumb-${at}`, { title: `by thumb ${at}` })
    await using visitor = await stage.as('admin', { phone: true })
    const { page: at } = visitor
    await at.getByRole('button', { name: 'Menu' }).tap()
    await at.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Todos', exact: true }).tap()
    await at.getByRole('link', { name: 'by thumb 1' }).waitFor()
    strictEqual(await at.getByRole('table').count(), 0, 'rows are cards on a phone')
    await at.getByRole('combobox', { name: 'Filter' }).tap()
    await at.keyboard.insertText('thumb')
    await at.getByRole('option', { name: 'API name begins with' }).tap()
    await at.getByText('1–3 of 3').waitFor()
    await at.getByLabel('Sort by').selectOption({ label: 'Created, ascending' })
    await at.getByRole('listitem').first().getByText('by thumb 1').waitFor()
    await at.getByRole('link', { name: 'by thumb 2' }).tap()
    await at.getByRole('heading', { name: 'by thumb 2', level: 1 }).waitFor()
    await at.getByLabel('Title').fill('by thumb two')
    await at.getByRole('button', { name: /^Save/ }).tap()
    await at.getByText('Saved', { exact: true }).waitFor()
    strictEqual(await titleOf(stage.api('GET', `${todos}/thumb-2`)), 'by thumb two')
    await at.getByRole('link', { name: 'Back' }).tap()
    await at.getByText('1–3 of 3').waitFor()
    await at.getByRole('button', { name: 'Select', exact: true }).tap()
    await at.getByRole('listitem').filter({ hasText: 'by thumb 3' }).tap()
    await at.getByText('1 selected').waitFor()
    await at.getByRole('button', { name: 'Cancel' }).tap()
    strictEqual(await at.getByRole('checkbox').count(), 0)
    // A long press selects the first row, then taps select the others.
    const card = at.getByRole('listitem').filter({ hasText: 'by thumb 1' })
    const box = await card.boundingBox()
    ok(box)
    const touch = { pointerType: 'touch', clientX: box.x + 20, clientY: box.y + 20, bubbles: true }
    await card.dispatchEvent('pointerdown', touch)
    await at.getByText('1 selected').waitFor()
    await card.dispatchEvent('pointerup', touch)
    await at.getByRole('toolbar').getByRole('button', { name: 'Delete' }).tap()
    await card.waitFor({ state: 'detached' })
    await at.getByRole('button', { name: 'Undo' }).tap()
    await card.waitFor()
    for (const one of [1, 2, 3]) await stage.api('DELETE', `${todos}/thumb-${one}`)
    assertClean(visitor)
  },
}
