import { match, strictEqual } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readPeople } from '../../../packages/cli/src/dev/people-file.ts'
import { createPlugin } from '../../../packages/create-pergola-plugin/src/create-plugin.ts'
import { startPergola } from '../../end-to-end/pergola-process.ts'
import type { Visitor } from '../stage.ts'
import { assertClean } from './administration.ts'
import type { Journey } from './journey.ts'

export const development: Journey = {
  name: 'the link of pergola dev opens the console, signed in and live',
  run: async (stage) => {
    const parent = mkdtempSync(join(tmpdir(), 'pergola-link-'))
    using _removed = { [Symbol.dispose]: () => rmSync(parent, { recursive: true }) }
    const directory = join(parent, 'note')
    createPlugin(directory, { name: 'note', group: 'note.example.com', version: '0.9.0' })
    symlinkSync(resolve('node_modules'), join(directory, 'node_modules'))
    await using dev = startPergola({ directory, args: ['dev', '--port', '0', '--no-inspect'] })
    const printed = (line: string) => new RegExp(`${line} +(http:\\S+)`).exec(dev.stdout())?.[1] ?? ''
    await stage.until('pergola dev is ready', async () => /seed {2}/.test(dev.stdout()))
    const link = printed('console')
    const { origin: at } = new URL(link)
    const rename = async (title: string) => {
      const headers = {
        authorization: `Bearer ${readPeople(directory)?.tokens['admin'] ?? ''}`,
        'content-type': 'application/merge-patch+json',
      }
      const body = JSON.stringify({ spec: { title } })
      const first = `${at}/apis/note.example.com/v1alpha1/notes/first`
      strictEqual((await fetch(first, { method: 'PATCH', headers, body })).status, 200)
    }
    for (const origin of [at, at.replace('127.0.0.1', 'localhost')]) {
      await using visitor = await stage.open({ at: origin })
      const { page } = visitor
      const now = origin === at ? link : printed('a new link to sign in:').replace(at, origin)
      // Simulates the file of an earlier host on this machine.
      await page.context().addCookies([{ name: 'pergola-session', value: 'pgs_ended', url: origin }])
      await page.goto(now)
      await page.locator('[data-user="admin"]').waitFor()
      match(page.url(), /\/console[^#]*$/)
      await visitor.goTo('/objects/note.example.com/v1alpha1/notes')
      await page.getByRole('region', { name: 'Notes' }).waitFor()
      const title = `seen at ${origin}`
      await rename(title)
      await page.getByRole('cell', { name: title }).waitFor()
      if (origin === at) {
        await changePage(visitor, join(directory, 'src/ui/open.vue'))
        await failInSetup(visitor, join(directory, 'src/ui/open.vue'))
      }
      await page.reload()
      await page.locator('[data-user="admin"]').waitFor()
      assertClean({ faults: visitor.faults.filter((fault) => !fault.startsWith('src/ui/open.vue:')) })

      await using late = await stage.open({ at })
      late.expectStatus(401)
      await late.page.goto(link)
      await late.page.getByRole('alert').getByText('open the newest link that pergola dev has printed').waitFor()
      strictEqual(late.page.url(), `${at}/auth/login`)
      await stage.until('there is a new link', async () => printed('a new link to sign in:') !== '')
      assertClean(late)
    }
    strictEqual(/ 403 /.test(dev.stdout()), false)
  },
}

/** An open page is replaced after a save; it keeps its state if only its template has changed. */
async function changePage(visitor: Visitor, file: string): Promise<void> {
  const { page } = visitor
  await visitor.choose('Open notes')
  await page.getByRole('heading', { name: 'Open notes' }).waitFor()
  await page.evaluate('window.wasNotReloaded = true')
  const save = saverOf(file)
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  save('title="Open notes"', 'title="Notes at hand"')
  await page.getByRole('heading', { name: 'Notes at hand' }).waitFor({ state: 'attached' })
  // Undone, the page has the address of before.
  save('title="Notes at hand"', 'title="Open notes"')
  await page.getByRole('heading', { name: 'Open notes' }).waitFor({ state: 'attached' })
  save('title="Open notes"', 'title="Notes at hand"')
  await page.getByRole('heading', { name: 'Notes at hand' }).waitFor({ state: 'attached' })
  strictEqual(await page.getByRole('dialog').count(), 1, 'the page has lost its state')
  // Another script begins anew.
  save('const isOpen = ref(false)', "const isOpen = ref(false)\nconst word = ref('noted')")
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  save('title="Notes at hand"', ':title="`Notes ${word}`"')
  await page.getByRole('heading', { name: 'Notes noted' }).waitFor()
  strictEqual(await page.evaluate('window.wasNotReloaded'), true)
  await visitor.choose('Notes')
  await page.getByRole('region', { name: 'Notes' }).waitFor()
}

/** An error in the setup of a page is shown with the place where its author finds it, and not as what follows from it. */
async function failInSetup(visitor: Visitor, file: string): Promise<void> {
  const { page, faults } = visitor
  await visitor.choose('Open notes')
  await page.getByRole('heading', { name: 'Notes noted' }).waitFor()
  const line = readFileSync(file, 'utf8').split('\n').indexOf('const isOpen = ref(false)') + 1
  const fault = "if (ref(1).value > 0) throw new Error('failed in setup')"
  saverOf(file)('const isOpen = ref(false)', `${fault}\nconst isOpen = ref(false)`)
  const told = `src/ui/open.vue:${line}:33 failed in setup`
  await page.getByRole('alert').getByText(told).waitFor()
  const logged = faults.filter((text) => text.startsWith(`src/ui/open.vue:${line}:33 Error: failed in setup`))
  strictEqual(logged.length, 1, faults.join('; '))
}

function saverOf(file: string) {
  return (from: string, to: string) =>
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(from, () => to),
    )
}
