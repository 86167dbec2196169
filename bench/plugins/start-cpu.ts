import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { startLoneHost } from '../../tests/faults/plugins/lone-host.ts'
import { median, spread } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'
import { emptyPackage, installStarted } from './sample.ts'

const bar = 3

/** CPU of an empty plugin up to `Started`, compared with an empty Node.js process; interleaved, so that noise affects both. */
export const startCpu: Part = async ({ quick }) => {
  const rounds = quick ? 7 : 15
  await using host = await startLoneHost('SQLite')
  const figures: { readonly plugin: number; readonly bare: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const bare = bareMilliseconds()
    const name = `empty${round}`
    await installStarted(host, name, await emptyPackage(name))
    const plugin = processMilliseconds(pluginOf(host.pid))
    await host.purge(name)
    // The first one warms up.
    if (round > 0) figures.push({ plugin, bare })
  }
  const ratios = figures.map(({ plugin, bare }) => plugin / bare)
  const [plugin, bare] = [median(figures.map((one) => one.plugin)), median(figures.map((one) => one.bare))]
  const ratio = median(ratios)
  const figure = `starting an empty plugin takes ${ratio.toFixed(2)} times the CPU of "node -e 0" (${spread(ratios)}, bar ${bar})`
  console.log(`\n${figure}; ${plugin.toFixed(0)} ms against ${bare.toFixed(0)} ms`)
  return {
    figure,
    short: ratio > bar ? [figure] : [],
    result: {
      section: 'start-and-memory',
      title: 'CPU of the start of a plugin',
      text: 'An empty plugin up to its start, beside `node -e 0`; in turn.',
      facts: [
        { what: 'CPU of the start, as a multiple of `node -e 0`', value: ratio, unit: 'x', goal: bar },
        { what: 'CPU of the start', value: plugin, unit: 'ms' },
      ],
    },
  }
}

/** CPU time of child processes as the shell counts it. */
function bareMilliseconds(): number {
  const printed = execFileSync('bash', ['-c', '"$0" -e 0; times', process.execPath], { encoding: 'utf8' })
  const [, ofChildren = ''] = printed.trim().split('\n')
  const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return seconds.reduce((sum, one) => sum + one, 0) * 1000
}

/** CPU time of all its threads, in nanoseconds, from the kernel. */
function processMilliseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const ran = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return ran.reduce((sum, one) => sum + one, 0) / 1e6
}

/** The only plugin process of a host. */
function pluginOf(host: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found = pids.filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      return parent === host && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('plugin.js')
    } catch {
      return false
    }
  })
  if (found.length !== 1) throw new Error(`the host has ${found.length} plugins`)
  return Number(found[0])
}
