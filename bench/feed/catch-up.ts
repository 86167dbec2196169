import type { Part } from '../measure/part.ts'
import { openInstallation, type Follower } from './installation.ts'

const bar = 20_000

/** Catch-up rate of a disconnected replica: from NATS, and from the log when NATS is down. */
export const catchUp: Part = async ({ quick }) => {
  const count = quick ? 100_000 : 1_000_000
  await using installation = await openInstallation()
  const carrier = await installation.start('relay')
  await carrier.until(({ state }) => state === 'carries the log')
  const replica = await installation.start('replica')
  await replica.until(({ state }) => state.startsWith('by NATS'))
  await installation.fill(20_000)
  const away = async (missed: number) => {
    const { number } = await replica.report()
    replica.signal('SIGSTOP')
    await installation.fill(missed)
    const newest = await installation.newest()
    await carrier.until((report) => report.number >= newest)
    return { newest, missed: newest - number }
  }
  const back = async ({ newest, missed }: { newest: number; missed: number }) => {
    const before = cpuOf(await resumed(replica))
    const began = performance.now()
    const report = await replica.until(({ number }) => number >= newest)
    const seconds = (performance.now() - began) / 1000
    return { perSecond: missed / seconds, microseconds: (cpuOf(report) - before) / missed }
  }
  const byNats = await back(await away(count))
  const left = await away(count / 10)
  await installation.nats.kill()
  const byLog = await back(left)
  console.log(`\n${count} changes from NATS: ${line(byNats)}`)
  console.log(`${count / 10} changes from the log: ${line(byLog)}`)
  const figure = `a replica takes up ${byNats.perSecond.toFixed(0)} missed changes a second (bar ${bar}), ${byLog.perSecond.toFixed(0)} from the log`
  return {
    figure,
    short: byNats.perSecond < bar ? [figure] : [],
    measured: { catchUpPerSecond: byNats.perSecond, replicaMicroseconds: byNats.microseconds },
  }
}

/** The first report arrives after the process is resumed. */
async function resumed(replica: Follower) {
  replica.signal('SIGCONT')
  return replica.report()
}

function cpuOf({ cpuMicroseconds }: { readonly cpuMicroseconds: number }): number {
  return cpuMicroseconds
}

function line({ perSecond, microseconds }: { readonly perSecond: number; readonly microseconds: number }): string {
  return `${perSecond.toFixed(0)} a second, ${microseconds.toFixed(1)} µs of CPU each`
}
