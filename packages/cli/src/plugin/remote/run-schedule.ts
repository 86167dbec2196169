import { setTimeout as sleep } from 'node:timers/promises'
import { coreResources, type PluginSchedule } from '@pergola/api'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect } from '../../server/connect.ts'
import type { ServerOptions } from '../../server/server-options.ts'
import { CommandFault } from '../../terminal/command-fault.ts'
import { showingProgress } from '../../terminal/progress.ts'
import { shortTime } from '../../terminal/times.ts'
import { pluginsPath } from './plugin-object.ts'

const lookMs = 300

export interface RunOptions extends ServerOptions {
  readonly wait: number
}

/** Runs a schedule now, waits for its end, and says how it ended. */
export async function runSchedule(
  context: CommandContext,
  { name, schedule }: { readonly name: string; readonly schedule: string },
  { wait, ...options }: RunOptions,
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const attempt = { verb: 'create', resource: 'plugins/run.console.api.platform.run', name }
  const path = `${pluginsPath}/${encodeURIComponent(name)}/run?schedule=${encodeURIComponent(schedule)}`
  const { requested } = (await attempting(attempt, () => client.call({ method: 'POST', path }))) as PluginSchedule
  const ended = async (): Promise<PluginSchedule> => {
    using _ = showingProgress(terminal, () => `${name}: ${schedule} runs`)
    const until = performance.now() + wait * 1000
    for (;;) {
      const { status = {} } = await client.resource(coreResources.plugins).get(name)
      const found = status.schedules?.find((one) => one.name === schedule)
      if (found && found.requested !== requested) return found
      if (performance.now() > until) {
        throw new CommandFault(`${schedule} has not ended after ${wait} s`, {
          next: `pergola plugin logs ${name} --follow`,
        })
      }
      await sleep(lookMs)
    }
  }
  const { lastRun = '', lastError, failures, nextRun } = await ended()
  if (lastError !== undefined) {
    const again = nextRun === undefined ? '' : `; it is tried again ${shortTime(nextRun)}`
    throw new CommandFault(`${schedule} failed, ${failures ?? 1} times in succession: ${lastError}${again}`, {
      next: `pergola plugin logs ${name}`,
    })
  }
  await terminal.print([
    `  ${name} ran ${schedule}, begun ${shortTime(lastRun)}`,
    ...(nextRun === undefined ? [] : [`  next run  ${shortTime(nextRun)}`]),
  ])
}
