import { startLoneHost } from '../../tests/faults/plugins/lone-host.ts'
import { median, spread } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'
import { installStarted, samplePackage } from './sample.ts'

const bar = 500
const times = 10

/** Time from the installation request until the plugin is started, without stored objects. */
export const start: Part = async () => {
  const names = Array.from({ length: times + 1 }, (_, at) => `start${at}`)
  const packages = new Map<string, Buffer>()
  for (const name of names) packages.set(name, await samplePackage(name))
  await using host = await startLoneHost('SQLite')
  const took: number[] = []
  for (const [name, body] of packages) {
    took.push(await installStarted(host, name, body))
    await host.purge(name)
  }
  // The first one warms up.
  const counted = took.slice(1)
  const figure = `a plugin is started in ${median(counted).toFixed(0)} ms (p50 of ${times}, bar ${bar})`
  console.log(`\n${figure}, ${spread(counted)} ms`)
  return {
    figure,
    short: median(counted) > bar ? [figure] : [],
    result: {
      section: 'start-and-memory',
      title: 'Start of a plugin',
      text: 'From the request that installs a plugin until it is started, on SQLite, without objects.',
      facts: [{ what: 'Time until a plugin is started (median)', value: median(counted), unit: 'ms', goal: bar }],
    },
  }
}
