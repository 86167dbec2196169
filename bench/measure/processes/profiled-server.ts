import { Session, type Profiler } from 'node:inspector/promises'
import { assemble } from '../../../packages/server/src/assembly/assemble.ts'
import { loadConfig } from '../../../packages/server/src/config/config.ts'
import { createLog } from '../../../packages/server/src/base/log.ts'

/** A server that profiles itself. Argument: the database. */

export interface Profiled {
  /** CPU microseconds of its thread. */
  readonly cpu: number
  readonly profile: Profiler.Profile
}

export type ProfiledLine = { readonly url: string; readonly setupSecret: string | undefined } | Profiled

const [database = ''] = process.argv.slice(2)
const server = await assemble({
  config: loadConfig({ env: { PERGOLA_DATABASE_URL: database, PERGOLA_SERVER_PORT: '0' } }),
  // Formats log lines as usual and discards them.
  log: createLog({ level: 'info', pretty: false, write: () => {} }),
})
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: 200 })
let cpuBefore = 0

/** `start` starts the profile; any other message returns it. */
process.on('message', (message) => {
  void (message === 'start' ? start() : stop())
})
tell({ url: server.url, setupSecret: server.setupSecret })

async function start(): Promise<void> {
  await session.post('Profiler.start')
  cpuBefore = cpuNow()
}

async function stop(): Promise<void> {
  const cpu = cpuNow() - cpuBefore
  const { profile } = await session.post('Profiler.stop')
  tell({ cpu, profile })
}

function cpuNow(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

function tell(line: ProfiledLine): void {
  process.send?.(line)
}
