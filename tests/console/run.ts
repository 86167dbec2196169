import { parseArgs } from 'node:util'
import { openInstallation } from './installation.ts'
import { bindingsList, menus, onlySeen, people, tokens } from './journeys/account.ts'
import { install, narrowed, roleChange, search, setup } from './journeys/administration.ts'
import { recent } from './journeys/finding.ts'
import { development } from './journeys/development.ts'
import type { Journey } from './journeys/journey.ts'
import { byKeys, byThumb } from './journeys/hands.ts'
import { asText, atItsPlace, byProvider, conflict, create, ended, everyType, lookers } from './journeys/forms.ts'
import { away, bulk, closing, columns, connection, down, find, known, live, reading } from './journeys/objects.ts'
import { kitPage } from './journeys/kit.ts'
import { roleDifference } from './journeys/roles.ts'
import {
  contained,
  hostile,
  kept,
  limits,
  logs,
  pluginPage,
  progress,
  runNow,
  uninstall,
  upgrade,
} from './journeys/plugins.ts'
import { lookAround, lookAtSetup, lookInChinese } from './look.ts'
import { savedViews } from './journeys/views.ts'
import { firstLoad, million } from './journeys/speed.ts'
import { sampleOf } from '../../tools/sample.ts'

/**
 * Runs user journeys through the console in Chromium, on one new installation on PostgreSQL. Each journey continues from the
 * state of the one before. Then every page is opened in light and dark theme, in desktop and phone size, and checked for
 * accessibility. `--screenshots=<folder>` keeps screenshots;
 * `--scene=<pattern>` opens only the pages whose name matches;
 * `--quick` omits the million objects; `--only=<pattern>` runs journeys whose name matches; `--sample=2` runs two, chosen by the commit. The journeys that create
 * the administrator and install the plugin always run, because all others need them. `npm run build` builds the console first.
 */
const { values } = parseArgs({
  options: {
    screenshots: { type: 'string' },
    only: { type: 'string' },
    speed: { type: 'boolean' },
    sample: { type: 'string' },
    scene: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const folder = values.screenshots
const setupPage: Journey = {
  name: 'the page of a new installation, in light and dark, at a desk and on a phone',
  run: async (stage) => assertNone(await lookAtSetup(stage, { folder })),
}
const everyPage: Journey = {
  name: 'every page, in light and dark, at a desk and on a phone',
  run: async (stage) => assertNone(await lookAround(stage, { folder, scene: new RegExp(values.scene ?? '') })),
}
const inChinese: Journey = {
  name: 'login, list, form errors and search in Chinese, on wide and narrow screens',
  run: async (stage) => assertNone(await lookInChinese(stage, { folder })),
}
function assertNone(found: readonly string[]): void {
  if (found.length > 0) throw new Error(found.join('\n'))
}
/** A sample excludes journeys that take a minute or measure times, because it may run beside other work. */
const isSampled = (journey: Journey) => ![setupPage, inChinese, everyPage, million, firstLoad].includes(journey)
const journeys: readonly Journey[] = [
  setupPage,
  setup,
  install,
  development,
  firstLoad,
  narrowed,
  pluginPage,
  search,
  recent,
  savedViews,
  create,
  conflict,
  asText,
  known,
  live,
  connection,
  away,
  down,
  ended,
  byProvider,
  atItsPlace,
  lookers,
  bulk,
  closing,
  everyType,
  onlySeen,
  bindingsList,
  tokens,
  people,
  menus,
  kept,
  kitPage,
  find,
  reading,
  columns,
  byKeys,
  byThumb,
  roleDifference,
  roleChange,
  progress,
  runNow,
  limits,
  logs,
  contained,
  upgrade,
  inChinese,
  everyPage,
  hostile,
  uninstall,
  million,
]

await using stage = await openInstallation()

let failed = 0
console.log(`${'journey'.padEnd(72)}  seconds  result`)
const needed: readonly Journey[] = [setup, install]
const others = journeys.filter((journey) => !needed.includes(journey))
const { only = '', sample, quick } = values
const wanted = others.filter((journey) => new RegExp(only).test(journey.name) && !(quick && journey === million))
const picked = new Set(sample === undefined ? wanted : sampleOf(wanted.filter(isSampled), sample))
const chosen = journeys.filter((journey) => needed.includes(journey) || picked.has(journey))
for (const { name, run } of chosen) {
  const began = performance.now()
  const problem = await run(stage).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  )
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${name.padEnd(72)}  ${seconds.padStart(7)}  ${problem === undefined ? 'ok' : 'FAILED'}`)
  if (problem === undefined) continue
  failed++
  console.log(problem.replaceAll(/^/gm, '    '))
  // All others need the results of these two.
  if (needed.some((journey) => journey.name === name)) break
}
console.log(`${chosen.length} journeys: ${failed === 0 ? 'all passed' : `${failed} FAILED`}`)
process.exitCode = failed === 0 ? 0 : 1
