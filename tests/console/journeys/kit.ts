import { match, strictEqual } from 'node:assert/strict'
import { packedProject } from '../../end-to-end/packed-source.ts'
import { assertClean } from './administration.ts'
import type { Stage, Visitor } from '../stage.ts'
import type { Journey } from './journey.ts'
import { upload } from './plugins.ts'

const events = '/apis/events.example.com/v1/events'

/** The page of the example, which has the parts of the console and values of its plugin. */
export const kitPage: Journey = {
  name: 'a page of parts: a live table, a form with errors of the server, an action on several rows',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    visitor.expectStatus(404)
    visitor.expectStatus(422)
    visitor.expectStatus(409)
    const { page } = visitor
    await visitor.goTo('/plugins/-/install')
    await upload(visitor, await packedProject('examples/events'))
    await visitor.choose('Program')
    await page.getByText('No events yet').waitFor()
    await page.getByRole('button', { name: 'New event' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Title').first().fill('Boat trip')
    await form.getByLabel('Code').fill('NOT A CODE')
    await form.getByLabel('Seats').fill('12')
    await form.getByLabel('Start').fill('4 Jul 2030')
    await form.getByRole('button', { name: 'Create event' }).click()
    // Only the server knows the pattern; its error is at the field.
    await form.locator('[data-pointer="/spec/code"][aria-invalid=true], [aria-invalid=true]').first().waitFor()
    await form.getByLabel('Code').fill('boat-2030')
    await form.getByRole('button', { name: 'Create event' }).click()
    await form.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Boat trip' }).waitFor()
    await anotherEvent(visitor)
    const spec = { title: 'Gala', code: 'gala', start: '2031-01-01T18:00:00Z', seats: 5 }
    await stage.api('POST', events, {
      apiVersion: 'events.example.com/v1',
      kind: 'Event',
      metadata: { name: 'gala' },
      spec,
    })
    await page.getByRole('button', { name: '1 new' }).click()
    await page.getByText('5 left', { exact: true }).waitFor()
    await failForOne(visitor, stage)
    match(await page.locator('tbody').innerText(), /Boat trip[\s\S]*Regatta[\s\S]*Gala/)
    await page.getByRole('button', { name: 'Gala' }).click()
    strictEqual(await form.getByLabel('Code').inputValue(), 'gala')
    await form.getByRole('button', { name: 'Cancel' }).click()
    // The whole head of a column sorts, and the address keeps the order.
    await page.getByRole('columnheader', { name: 'Start' }).click({ position: { x: 110, y: 12 } })
    await page.waitForURL(/events\.sort=spec\.start.+desc/)
    await page.reload()
    await page.getByRole('button', { name: 'Gala' }).waitFor()
    match(await page.locator('tbody').innerText(), /Gala[\s\S]*Regatta[\s\S]*Boat trip/)
    assertClean(visitor)
  },
}

/** Its code is taken at first. An object that this page has created is in the table at once. */
async function anotherEvent({ page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: 'New event' }).click()
  const form = page.getByRole('dialog')
  // The first field has the focus. A form with entries does not close without a question.
  await page.keyboard.type('Regatta')
  page.once('dialog', (asked) => void asked.dismiss())
  await page.keyboard.press('Escape')
  await form.getByLabel('Code').fill('boat-2030')
  await form.getByLabel('Seats').fill('9995')
  await form.getByLabel('Start').fill('5 Jul 2030')
  await form.getByRole('button', { name: 'Create event' }).click()
  await form.getByText('Is taken by “Boat trip”.').waitFor()
  await form.getByLabel('Code').fill('regatta')
  await form.getByRole('button', { name: 'Create event' }).click()
  await page.getByRole('row').filter({ hasText: 'Regatta' }).waitFor()
  strictEqual(await page.getByRole('button', { name: '1 new' }).count(), 0)
}

/** An action on three events, of which one has no room. The failed one stays selected and can be tried again. */
async function failForOne({ page }: Visitor, stage: Stage): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await page.getByRole('button', { name: 'Ten more seats' }).click()
  const failed = page.getByRole('dialog', { name: 'Ten more seats: 2 of 3; 1 failed' })
  await failed.getByRole('listitem').filter({ hasText: 'Regatta' }).getByText('Seats: At most 10000.').waitFor()
  await page.getByText('15 left', { exact: true }).waitFor()
  await page.getByText('22 left').waitFor()
  const box = page.getByRole('row').filter({ hasText: 'Regatta' }).getByRole('checkbox', { includeHidden: true })
  strictEqual(await box.isChecked(), true)
  strictEqual(await page.locator('tbody input:checked').count(), 1)
  await stage.api('PATCH', `${events}/${await nameOf(stage, 'Regatta')}`, { spec: { seats: 100 } })
  await failed.getByRole('button', { name: 'Try it again' }).click()
  await page.getByText('Ten more seats: 1 event').waitFor()
  await page.getByText('110 left').waitFor()
}

async function nameOf(stage: Stage, title: string): Promise<string> {
  const { items } = (await stage.api('GET', events)) as { readonly items: readonly StoredEvent[] }
  return items.find(({ spec }) => spec.title === title)?.metadata.name ?? ''
}

interface StoredEvent {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly title: string }
}
