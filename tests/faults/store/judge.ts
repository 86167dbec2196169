import { checkStore } from './checker.ts'
import { durableSettings, type Watcher } from './watcher.ts'
import { checkWrites, type WriteLog } from './write-log.ts'

/** Longer than a pass of the sequencer plus the second after which an idle one polls. */
const drainSeconds = 10

/** After the writers have ended, with an open store: waits until all changes are sequenced and runs all checks. */
export async function judge(url: string, told: { watcher: Watcher; log: WriteLog }): Promise<readonly string[]> {
  const { watcher, log } = told
  const drained = await watcher.untilDrained(drainSeconds)
  return [
    ...(drained ? [] : [`changes are still without a place after ${drainSeconds} s`]),
    ...(await watcher.find([durableSettings])),
    ...(await checkStore(url)),
    ...(await checkWrites(url, log)),
  ]
}
