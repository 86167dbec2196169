import { setTimeout as sleep } from 'node:timers/promises'
import { startLoneHost } from '../../tests/faults/plugins/lone-host.ts'
import type { Part } from '../measure/part.ts'

const bar = 130
const settleMs = 10_000

/** Memory of an idle host, from the compiled build. */
export const idleHost: Part = async () => {
  await using host = await startLoneHost('SQLite', { compiled: true })
  await sleep(settleMs)
  const held = host.residentMegabytes()
  const figure = `an idle host on SQLite holds ${held.toFixed(0)} MB (RSS, bar ${bar})`
  console.log(`\n${figure}`)
  return {
    figure,
    short: held > bar ? [figure] : [],
    result: {
      section: 'start-and-memory',
      title: 'Memory of an idle server',
      text: 'One server on SQLite without plugins, compiled as it is published (RSS).',
      facts: [{ what: 'Memory of an idle server', value: held, unit: 'MiB', goal: bar }],
    },
  }
}
