import { apiOf, hostilePackage } from '../hostile-package.ts'
import { installed, type Harm } from './harm.ts'

/** A plugin is killed after three failed health checks, five seconds apart. */
const mostSeconds = 40
/** More memory than a plugin may use, but harmless for the machine. */
const mostLeaked = 400 * 1024 * 1024

interface Crash {
  readonly what: string
  readonly plugin: string
  /** Source of its custom API. */
  readonly api: string
  /** Expected status message. */
  readonly says: RegExp
}

/** Each of these ends the process, and the host reports the reason. */
export const crashes: readonly Harm[] = (
  [
    {
      what: 'a loop without end',
      plugin: 'bad-loop',
      api: '() => { const until = Date.now() + 60_000; while (Date.now() < until); }',
      says: /did not answer for 15 s/,
    },
    {
      what: 'an array that grows',
      plugin: 'bad-array',
      api: `() => {
        const all = []
        while (process.memoryUsage.rss() < ${mostLeaked}) for (let at = 0; at < 10_000; at++) all.push({ at, text: 'x' + at })
        setInterval(() => all.length, 1_000)
      }`,
      says: /used \d+ MiB of memory; the limit is 128|heap out of memory/,
    },
    {
      what: 'buffers that leak',
      plugin: 'bad-buffers',
      api: `() => {
        const all = []
        setInterval(() => process.memoryUsage.rss() < ${mostLeaked} && all.push(Buffer.alloc(8 * 1024 * 1024, 1)), 10)
      }`,
      says: /used \d+ MiB of memory; the limit is 128/,
    },
    {
      what: 'a rejection nobody handles',
      plugin: 'bad-rejection',
      api: "() => void Promise.reject(new Error('nobody was there to catch this'))",
      says: /ended with code 1\b[^]*nobody was there to catch this/,
    },
    { what: 'process.exit', plugin: 'bad-exit', api: '() => process.exit(7)', says: /ended with code 7\b/ },
    {
      what: '200 processes',
      plugin: 'bad-forks',
      api: "() => void spawn('/bin/sh', ['-c', 'for at in $(seq 200); do sleep 60 & done; wait'])",
      // Shared memory is counted for each process, so the memory limit may apply before the process limit.
      says: /had \d+ processes; the limit is 32|used \d+ MiB of memory; the limit is 128/,
    },
    {
      what: 'processes that leave its group',
      plugin: 'bad-leavers',
      api: `() => {
        for (let at = 0; at < 20; at++) spawn('/bin/sleep', ['60'], { detached: true, stdio: 'ignore' })
        setTimeout(() => process.exit(8), 500)
      }`,
      says: /ended with code 8\b/,
    },
  ] satisfies readonly Crash[]
).map(crashing)

function crashing({ what, plugin, api, says }: Crash): Harm {
  return {
    what,
    plugin,
    run: async ({ host, name }) => {
      await installed(host, name, hostilePackage({ name, apis: { harm: api } }))
      // The response does not matter.
      void host.ask('GET', apiOf(name, 'harm'))
      const { status } = await host.untilPlugin(
        name,
        (seen) => seen.status?.reason === 'BackingOff' && says.test(seen.status.message ?? ''),
        mostSeconds * 1000,
      )
      const [first = ''] = says.exec(status?.message ?? '') ?? []
      return `BackingOff, "${first.split('\n', 1).join('')}"`
    },
  }
}
