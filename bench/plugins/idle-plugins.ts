import { setTimeout as sleep } from 'node:timers/promises'
import { processesOf } from '../../tests/faults/plugins/left-behind.ts'
import { startLoneHost } from '../../tests/faults/plugins/lone-host.ts'
import type { Part } from '../measure/part.ts'
import { cpuSecondsOf } from '../measure/cpu.ts'
import { proportionalMegabytes } from './process-figures.ts'
import { installStarted, samplePackage } from './sample.ts'

const wanted = 50
const barMegabytes = 1_200

/** Memory of many idle plugins, and CPU of their host. */
export const idlePlugins: Part = async ({ quick }) => {
  const count = quick ? 10 : wanted
  const seconds = quick ? 10 : 30
  const names = Array.from({ length: count }, (_, at) => `idle${at}`)
  await using host = await startLoneHost('SQLite')
  for (const name of names) await installStarted(host, name, await samplePackage(name))
  // Waits until startup memory is released.
  await sleep(5_000)
  const before = cpuSecondsOf(host.pid)
  await sleep(seconds * 1000)
  const share = ((cpuSecondsOf(host.pid) - before) / seconds) * 100
  const pids = names.flatMap((name) => processesOf(name))
  if (pids.length !== count) throw new Error(`${pids.length} processes run for ${count} plugins`)
  const held = pids.reduce((sum, pid) => sum + proportionalMegabytes(pid), 0)
  const all = (held / count) * wanted
  const how = quick ? `, from ${count} of them` : ''
  const figure = `${wanted} idle plugins hold ${all.toFixed(0)} MB${how} (PSS, bar ${barMegabytes}), their host is busy ${share.toFixed(1)} % of a core`
  console.log(`\n${figure}`)
  return {
    figure,
    short: all > barMegabytes ? [figure] : [],
    result: {
      section: 'start-and-memory',
      title: 'Memory of idle plugins',
      text: 'Each plugin is a process; memory that processes share is divided among them (PSS).',
      facts: [
        { what: `Memory of ${wanted} idle plugins${how}`, value: all, unit: 'MiB', goal: barMegabytes },
        { what: 'Share of a core that their host takes', value: share, unit: '%' },
      ],
    },
  }
}
