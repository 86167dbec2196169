import type { Page } from 'playwright-core'
import { fillTable } from '../../end-to-end/fill-table.ts'
import { median, quantile } from '../../../bench/measure.ts'
import type { Journey } from './journey.ts'

const mostBytes = 250 * 1024
const mostMs = 1_500
/** Times are always printed, but checked only on an idle machine. */
const judgesSpeed = process.argv.includes('--speed')

interface Loaded {
  readonly scripts: number
  readonly bytes: number
}

/** Limit of script bytes that a browser with an empty cache loads before the page is usable. */
const scriptsLoaded = `(() => {
  const scripts = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
  return { scripts: scripts.length, bytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) }
})()`

export const firstLoad: Journey = {
  name: 'the first load: less than 250 KB of script',
  run: async (stage) => {
    await using visitor = await stage.as('admin')
    const { page } = visitor
    const began = Date.now()
    await page.goto(`${stage.url}/console/home`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const ms = Date.now() - began
    // A new browser has an empty cache.
    await using stranger = await stage.open()
    await stranger.page.context().addCookies(await page.context().cookies())
    await stranger.goTo('/home')
    const { scripts, bytes } = (await stranger.page.evaluate(scriptsLoaded)) as Loaded
    console.log(`    ${scripts} scripts, ${Math.round(bytes / 1024)} KB compressed; the home page after ${ms} ms`)
    if (bytes > mostBytes) throw new Error(`${bytes} bytes of script, more than ${mostBytes}`)
    if (judgesSpeed && ms > mostMs) throw new Error(`ready after ${ms} ms, later than ${mostMs}`)
  },
}

const many = 1_000_000
const mostTurnMs = 300
const turns = 20
const readings = {
  group: 'many.example.com',
  kind: 'Reading',
  singular: 'reading',
  plural: 'readings',
  versions: [{ name: 'v1', schema: { properties: { spec: { properties: { title: { type: 'string' } } } } } }],
  indexes: [{ name: 'spec.title' }],
}

export const million: Journey = {
  name: 'paging through a table of a million objects',
  run: async (stage) => {
    await stage.api('POST', '/apis/plugin.platform.run/v1alpha1/models', { spec: readings })
    await fillTable(stage.database, { plural: 'readings', storedAs: 'v1', count: many, isIndexed: true })
    await using visitor = await stage.as('admin')
    const { page } = visitor
    const figures: string[] = []
    for (const sort of ['spec.title,asc', 'spec.title,desc']) {
      await visitor.goTo(`/objects/many.example.com/v1/readings?sort=${encodeURIComponent(sort)}`)
      const took = (await turnPages(page, sort.endsWith('desc') ? many : 1)).toSorted((a, b) => a - b)
      figures.push(`${sort}: p50 ${median(took).toFixed(0)}, p99 ${quantile(took, 0.99).toFixed(0)} ms`)
      const worst = quantile(took, 0.99)
      if (judgesSpeed && worst > mostTurnMs) {
        throw new Error(`a page was there after ${worst.toFixed(0)} ms, later than ${mostTurnMs}`)
      }
    }
    console.log(`    ${figures.join('; ')}`)
  },
}

/** Milliseconds from the click until the expected first row is shown. */
async function turnPages(page: Page, first: number): Promise<readonly number[]> {
  const step = first === 1 ? 1 : -1
  const rowOf = (turn: number) =>
    page
      .getByRole('row')
      .nth(1)
      .getByText(titleOf(first + step * 50 * turn))
  await rowOf(0).waitFor()
  const took: number[] = []
  for (let turn = 1; turn <= turns; turn++) {
    const began = performance.now()
    await page.getByRole('button', { name: 'Next page' }).click()
    await rowOf(turn).waitFor()
    took.push(performance.now() - began)
  }
  return took
}

function titleOf(number: number): string {
  return `Number ${String(number).padStart(7, '0')}`
}
