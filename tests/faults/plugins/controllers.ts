import { setTimeout as sleep } from 'node:timers/promises'
import type { Trial, TrialResult } from '../store/trial.ts'
import { startStepsCluster, steps, type Step, type StepsCluster } from './steps-cluster.ts'
import { newestStatuses, readTerms } from './terms.ts'

/** Kills the leader, or suspends it for longer than its lease, while objects are being changed. */
export const controllers: Trial = {
  name: 'controllers',
  run: async ({ quick }): Promise<TrialResult> => {
    const size = quick ? { objects: 500, changes: 6, faults: 3 } : { objects: 10_000, changes: 10, faults: 10 }
    await using cluster = await startStepsCluster()
    const faults: string[] = []
    const { term } = await leaderOf(cluster)
    const calm = sleep(calmMs)
    await createAll(cluster, size.objects)
    await calm
    if ((await termOf(cluster)) !== term) faults.push('a lease was lost although nothing had happened')
    const work = changeAll(cluster, size)
    const overMs = await harm(cluster, size.faults)
    work.end()
    const changed = await work.done
    const settled = await untilSettled(cluster, faults)
    const resync = await measureResync(cluster, size.objects, faults)
    const { leads, writes, stale } = await readTerms(cluster.database)
    faults.push(...stale.slice(0, 5))
    if (stale.length > 0) faults.push(`${stale.length} statuses were written by a process that no longer led`)
    if (leads <= size.faults) faults.push(`only ${leads} processes led, after ${size.faults} faults`)
    return {
      figures: [
        `${size.objects} objects, ${changed} changes, ${writes} statuses by ${leads} leads`,
        `${size.faults} faults, the next led after at most ${seconds(Math.max(...overMs))} s`,
        `settled after ${seconds(settled)} s, ${stale.length} stale writes`,
        `handed over at most ${seconds(resync.handedOverMs)} s after a stop was asked for`,
        `an edit took at most ${seconds(resync.calmMs)} s at rest, ${seconds(resync.editMs)} s during resync, ${seconds(resync.earlyMs)} s right before it`,
      ].join('; '),
      faults,
    }
  },
}

const writers = 8
/** Longer than a lease lasts without renewal. */
const calmMs = 17_000
const pollMs = 50
/** A lease lasts 15 s; the rest is slack for a busy machine. */
const takeOverSeconds = 60
const settleSeconds = 300
/** Allowed delay of an edit while a new leader resyncs, compared with the idle state. */
const mostEditMs = 1_000
/** Requests and the plugin end first; a lease that is not released lasts at least ten seconds more. */
const mostHandOverMs = 8_000
const handOvers = 2
const editsEach = 3
/** The concurrency of the plugin of this trial. */
const lookEachMs = 60
const lookedAtOnce = 8

const nameOf = (at: number) => `step-${at}`

async function createAll(cluster: StepsCluster, count: number): Promise<void> {
  let next = 0
  const create = async () => {
    for (let at = next++; at < count; at = next++) {
      await insist(() => cluster.ask('POST', steps, { metadata: { name: nameOf(at) }, spec: { value: 0 } }), [201, 409])
    }
  }
  await Promise.all(Array.from({ length: writers }, create))
}

/** Changes every object a number of times, and continues until it is stopped. */
function changeAll(
  cluster: StepsCluster,
  { objects, changes }: { readonly objects: number; readonly changes: number },
) {
  let made = 0
  let isOver = false
  const change = async () => {
    while (!isOver || made < objects * changes) {
      const value = ++made
      const path = `${steps}/${nameOf((value * 7) % objects)}`
      await insist(() => cluster.ask('PATCH', path, { spec: { value } }), [200])
      // After the required changes, continues slowly to keep some load.
      if (made > objects * changes) await sleep(20)
    }
  }
  const done = Promise.all(Array.from({ length: writers }, change)).then(() => made)
  return { done, end: () => (isOver = true) }
}

async function insist(act: () => Promise<{ readonly status: number }>, wanted: readonly number[]): Promise<void> {
  while (!wanted.includes((await act()).status)) await sleep(pollMs)
}

/** Returns the takeover times. */
async function harm(cluster: StepsCluster, times: number): Promise<readonly number[]> {
  const ways = ['kill the host', 'stop the plugin', 'stop the host'] as const
  const overMs: number[] = []
  for (let at = 0; at < times; at++) {
    const leader = await leaderOf(cluster)
    const host = cluster.hostOf(leader.process)
    const way = ways[at % ways.length]
    const began = performance.now()
    if (way === 'kill the host') host?.signal('SIGKILL')
    else if (way === 'stop the host') host?.signal('SIGSTOP')
    else signalPlugin(leader.process, 'SIGSTOP')
    await untilLed(cluster, leader.term)
    overMs.push(performance.now() - began)
    // The next leader writes before the former one is resumed.
    await leaderOf(cluster, leader.term)
    if (way === 'stop the host') host?.signal('SIGCONT')
    if (way === 'stop the plugin') signalPlugin(leader.process, 'SIGCONT')
    await sleep(1_000)
  }
  return overMs
}

/** The host may have killed it by then because it did not answer. */
function signalPlugin(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

interface Leader {
  readonly process: number
  readonly term: number
}

/** Finds the leader by the newest status; writes to a probe object if nothing else changes. */
async function leaderOf(cluster: StepsCluster, after = 0): Promise<Leader> {
  const name = 'probe'
  const deadline = performance.now() + takeOverSeconds * 1000
  await insist(() => cluster.ask('POST', steps, { metadata: { name }, spec: { value: 0 } }), [201, 409])
  const change = { spec: { value: Math.floor(Math.random() * 1e9) } }
  await insist(() => cluster.ask('PATCH', `${steps}/${name}`, change), [200])
  for (;;) {
    const term = await termOf(cluster)
    const { process: pid } = (await newestStatuses(cluster.database)).find((status) => status.term === term) ?? {}
    if (term > after && pid !== undefined) return { process: pid, term }
    if (performance.now() > deadline) throw new Error(`nobody has written a status for ${takeOverSeconds} s`)
    await sleep(pollMs)
  }
}

/** 0 before the first leader. */
async function termOf(cluster: StepsCluster): Promise<number> {
  return Number((await leaseOf(cluster)).token)
}

interface LeaseRow {
  readonly token: string
}

async function leaseOf({ database }: StepsCluster): Promise<LeaseRow> {
  const text = "SELECT token FROM leases WHERE name = 'plugin/steps/own/follow'"
  const { rows } = await database.query<LeaseRow>(text)
  return rows[0] ?? { token: '0' }
}

async function untilLed(cluster: StepsCluster, after: number): Promise<void> {
  const deadline = performance.now() + takeOverSeconds * 1000
  while ((await termOf(cluster)) <= after) {
    if (performance.now() > deadline) throw new Error(`nobody has taken over for ${takeOverSeconds} s`)
    await sleep(pollMs)
  }
}

const isSettled = ({ metadata, spec, status }: Step) =>
  status?.generation === metadata.generation && status.value === spec.value

/** Returns the time that it took. */
async function untilSettled(cluster: StepsCluster, faults: string[]): Promise<number> {
  const began = performance.now()
  for (;;) {
    const open = (await cluster.all()).filter((step) => !isSettled(step))
    if (open.length === 0) return performance.now() - began
    if (performance.now() - began > settleSeconds * 1000) {
      faults.push(
        `${open.length} objects are not reconciled after ${settleSeconds} s, ${open[0]?.metadata.name} for one`,
      )
      return performance.now() - began
    }
    await sleep(500)
  }
}

/** Stops the leader gracefully; edits an object while the next leader resyncs. */
async function measureResync(cluster: StepsCluster, objects: number, faults: string[]) {
  let [handedOverMs, editMs, earlyMs, calm] = [0, 0, 0, 0]
  for (let round = 0; round < handOvers; round++) {
    await cluster.untilAllServe()
    const { process: pid, term } = await leaderOf(cluster)
    await untilAtRest(cluster, objects)
    for (let edit = 0; edit < editsEach; edit++) calm = Math.max(calm, await timeOfEdit(cluster, nameOf(edit)))
    const host = cluster.hostOf(pid)
    if (!host) throw new Error(`the host of process ${pid}, which leads, is not known`)
    const stoppedAt = performance.now()
    host.signal('SIGTERM')
    await untilLed(cluster, term)
    handedOverMs = Math.max(handedOverMs, performance.now() - stoppedAt)
    // A change before the resync of the next leader is handled like every other present object.
    const early = timeOfEdit(cluster, nameOf(objects - 1), wholeLookSeconds(objects))
    // The probe is the oldest object, so a new leader handles it first: after that, the initial list has begun.
    await leaderOf(cluster, term)
    for (let edit = 0; edit < editsEach; edit++) {
      editMs = Math.max(editMs, await timeOfEdit(cluster, nameOf(edit + 1)))
    }
    earlyMs = Math.max(earlyMs, await early)
  }
  if (handedOverMs > mostHandOverMs)
    faults.push(`the next one led ${seconds(handedOverMs)} s after who led before was asked to stop`)
  if (editMs > calm + mostEditMs)
    faults.push(`an edit took ${seconds(editMs)} s during resync, ${seconds(calm)} s at rest`)
  return { handedOverMs, editMs, earlyMs, calmMs: calm }
}

/** The leader reconciles each object again after its own write; until then an edit waits for its turn. */
async function untilAtRest(cluster: StepsCluster, objects: number): Promise<void> {
  const end = performance.now() + wholeLookSeconds(objects) * 1000
  while ((await timeOfEdit(cluster, nameOf(0), wholeLookSeconds(objects))) > mostEditMs) {
    if (performance.now() > end) throw new Error('the leader does not finish its resync')
  }
}

/** Time for one pass over all objects, with slack for a busy machine. */
function wholeLookSeconds(objects: number): number {
  return (objects * lookEachMs) / lookedAtOnce / 1000 + takeOverSeconds
}

async function timeOfEdit(cluster: StepsCluster, name: string, mostSeconds = takeOverSeconds): Promise<number> {
  await insist(
    () => cluster.ask('PATCH', `${steps}/${name}`, { spec: { value: Math.floor(Math.random() * 1e9) } }),
    [200],
  )
  const began = performance.now()
  for (;;) {
    const step = await cluster.get(name)
    if (step && isSettled(step)) return performance.now() - began
    if (performance.now() - began > mostSeconds * 1000) throw new Error(`${name} is not reconciled`)
    await sleep(10)
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}
