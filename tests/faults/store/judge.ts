import { checkStore } from './checker.ts'
import { durableSettings, type Watcher } from './watcher.ts'
import { checkWrites, type WriteLog } from './write-log.ts'

/** Well above a pass of the sequencer and the second after which an idle one looks for what others have left. */
const drainSeconds = 10

/** After the writers have ended, with a store open: the rest gets in order, everything agrees, and no promise is broken. */
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
