import { getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Trial, TrialResult } from '../store/trial.ts'
import { startEvenLoad, type LoadFigures } from './even-load.ts'
import { harms } from './harms.ts'
import { installed, type Harm, type Scene } from './harms/harm.ts'
import { hostilePackage } from './hostile-package.ts'
import { processesOf } from './left-behind.ts'
import { loneHostEngines, startLoneHost, type LoneHost } from './lone-host.ts'

const perSecond = 200
/** Latency of others may double; differences below this many milliseconds are noise. */
const mostTimes = 2
const noiseMs = 20
const goneMs = 5_000
/** Measured after each harm: a p99 needs a thousand requests. */
const afterMs = 5_000
/** Plugins have a nice value ten above their host; 19 is the maximum. */
const mostNiceness = 9
const lookMs = 50

/**
 * Hostile plugins, one after the other, beside one under constant load. No request to that one may fail; how long its callers wait
 * is a speed goal.
 */
export const hostile: Trial = {
  name: 'hostile plugins',
  run: async ({ quick }): Promise<TrialResult> => {
    const figures: string[] = []
    const faults: string[] = []
    const slow: string[] = []
    for (const engine of quick ? loneHostEngines.slice(0, 1) : loneHostEngines) {
      const result = await onEngine(engine, quick)
      figures.push(`${engine}: ${result.figures}`)
      faults.push(...result.faults.map((fault) => `${engine}: ${fault}`))
      slow.push(...result.slow.map((one) => `${engine}: ${one}`))
    }
    if (quick) figures.push('on one engine, and callers that get no answer go away before their 504')
    if (getPriority() > mostNiceness) {
      figures.push(`at niceness ${getPriority()}, where plugins cannot stand behind their host`)
    }
    return { figures: figures.join('; '), faults, slow }
  },
}

/** One harm and its effect on others. */
interface Outcome extends LoadFigures {
  readonly what: string
}

async function onEngine(engine: (typeof loneHostEngines)[number], quick: boolean): Promise<Required<TrialResult>> {
  await using host = await startLoneHost(engine)
  const name = 'good'
  const spec = { type: 'object', properties: { title: { type: 'string' }, state: { type: 'string' } } }
  const apis = { echo: "(request, response) => response.end('{}')" }
  await installed(host, name, hostilePackage({ name, model: { indexes: [{ name: 'spec.state' }] }, spec, apis }))
  await using load = await startEvenLoad({ url: host.url, token: host.token, perSecond })
  const stretch = quick ? { calmMs: 8_000, betweenMs: 1_000 } : { calmMs: 20_000, betweenMs: 3_000 }
  // Warms up code and caches.
  await sleep(3_000)
  await load.take()
  await sleep(stretch.calmMs)
  const calm = [await load.take()]
  const outcomes: Outcome[] = []
  const faults: string[] = []
  console.log(row(`${engine}: what`, ['requests', 'failed', 'p50 ms', 'p99 ms', 'most ms'], 'seen'))
  for (const harm of harms) {
    const scene = { host, quick, name: harm.plugin }
    if (harm.setUp) {
      await harm.setUp(scene)
      await load.take()
    }
    const { seen, fault } = await suffer(scene, harm)
    await sleep(afterMs)
    const left = await takeAway(host, harm)
    const outcome = { what: harm.what, ...(await load.take()) }
    outcomes.push(outcome)
    const found = [fault, left].filter((one) => one !== undefined)
    faults.push(...found.map((one) => `${harm.what}: ${one}`))
    console.log(row(harm.what, cellsOf(outcome), found.length === 0 ? seen : `SHORT: ${found.join('; ')}`))
    await sleep(stretch.betweenMs)
    calm.push(await load.take())
  }
  return verdict(calm, outcomes, faults)
}

/** The observation, or the missing one. */
async function suffer(scene: Scene, { run }: Harm): Promise<{ readonly seen: string; readonly fault?: string }> {
  try {
    return { seen: await run(scene) }
  } catch (error) {
    return { seen: '', fault: (error as Error).message }
  }
}

/** Reports processes and files left behind. */
async function takeAway(host: LoneHost, { plugin }: Harm): Promise<string | undefined> {
  if (await host.plugin(plugin)) await host.purge(plugin)
  const deadline = performance.now() + goneMs
  while (processesOf(plugin).length > 0 && performance.now() < deadline) await sleep(lookMs)
  const left = processesOf(plugin)
  for (const pid of left) process.kill(pid, 'SIGKILL')
  return left.length === 0
    ? undefined
    : `${left.length} processes of it are left ${goneMs / 1000} s after it was purged`
}

function verdict(
  calm: readonly LoadFigures[],
  outcomes: readonly Outcome[],
  seen: readonly string[],
): Required<TrialResult> {
  const faults = [...seen]
  const slow: string[] = []
  const calmLatencies = calm.flatMap(({ latencies }) => latencies)
  const calmP99 = p99Of(calmLatencies)
  const bar = Math.max(noiseMs, calmP99 * mostTimes)
  const calmFailed = sum(calm.map(({ failed }) => failed))
  if (calmFailed > 0) faults.push(`${calmFailed} requests failed while nothing happened`)
  for (const { what, latencies, failed, failures } of outcomes) {
    if (failed > 0) faults.push(`${what}: ${failed} requests to others failed, such as ${failures.join(', ')}`)
    const p99 = p99Of(latencies)
    if (p99 > bar) slow.push(`${what}: others waited ${p99.toFixed(1)} ms (p99), and may ${bar.toFixed(1)}`)
  }
  const all = outcomes.flatMap(({ latencies }) => latencies)
  const failed = sum(outcomes.map((outcome) => outcome.failed))
  const worst = Math.max(...outcomes.map(({ latencies }) => p99Of(latencies)))
  const figures = [
    `${outcomes.length} plugins, ${failed} of ${all.length} requests to others failed`,
    `p99 ${p99Of(all).toFixed(1)} ms, ${worst.toFixed(1)} beside the worst, ${calmP99.toFixed(1)} beside none (${bar.toFixed(1)} allowed)`,
  ]
  return { figures: figures.join(', '), faults, slow }
}

function cellsOf({ latencies, failed }: LoadFigures): readonly string[] {
  const sorted = latencies.toSorted((one, other) => one - other)
  const times = [quantile(sorted, 0.5), quantile(sorted, 0.99), sorted.at(-1) ?? 0]
  return [String(latencies.length), String(failed), ...times.map((ms) => ms.toFixed(1))]
}

function p99Of(latencies: readonly number[]): number {
  return quantile(
    latencies.toSorted((one, other) => one - other),
    0.99,
  )
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function row(what: string, cells: readonly string[], seen: string): string {
  return `  ${what.padEnd(32)}${cells.map((cell) => cell.padStart(10)).join('')}  ${seen}`
}
