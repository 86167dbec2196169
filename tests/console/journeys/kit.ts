import { match, strictEqual } from 'node:assert/strict'
import { packedProject } from '../../end-to-end/packed-source.ts'
import { assertClean } from './administration.ts'
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
    const spec = { title: 'Gala', code: 'gala', start: '2031-01-01T18:00:00Z', seats: 5 }
    await stage.api('POST', events, {
      apiVersion: 'events.example.com/v1',
      kind: 'Event',
      metadata: { name: 'gala' },
      spec,
    })
    await page.getByRole('button', { name: '1 new' }).click()
    await page.getByText('5 left').waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await page.getByRole('button', { name: 'Ten more seats' }).click()
    await page.getByText('15 left').waitFor()
    await page.getByText('22 left').waitFor()
    match(await page.locator('tbody').innerText(), /Boat trip[\s\S]*Gala/)
    await page.getByRole('button', { name: 'Gala' }).click()
    strictEqual(await form.getByLabel('Code').inputValue(), 'gala')
    assertClean(visitor)
  },
}
