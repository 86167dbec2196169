import { InvalidArgumentError, Option, type Command } from 'commander'
import type { CommandContext } from '../../command-context.ts'
import { addServerOptions, type ServerOptions } from '../../server/server-options.ts'
import { collect } from '../../terminal/collect.ts'
import { outputOption } from '../../terminal/output-option.ts'
import { runCommand } from '../../terminal/run-command.ts'
import type { InstallOptions } from './install.ts'
import type { LimitOptions } from './limits.ts'
import type { LogOptions } from './logs.ts'
import type { ManageOptions, UninstallOptions } from './manage.ts'
import type { RunOptions } from './run-schedule.ts'
import type { SettingsOptions } from './settings.ts'
import type { ShowOptions } from './show.ts'

const planWords = 'only show what it would do'

/** Commands for the plugins of a server. */
export function addRemoteCommands(plugin: Command, context: CommandContext): void {
  for (const word of ['install', 'upgrade'] as const) {
    withChange(plugin.command(word), 'skip the confirmation prompt; rights still need --approve')
      .description(
        word === 'install'
          ? 'install a package, once it has told what it will do and was approved'
          : 'put a package in the place of the version that runs, without a pause',
      )
      .argument('<file>', 'the package, a .tgz from pergola plugin pack')
      .option('--approve <right>', 'approve this right by name, without a prompt; repeatable', collect)
      .action(
        runCommand(context, async (file: string, options: InstallOptions) => {
          const { install, upgrade } = await import('./install.ts')
          return (word === 'install' ? install : upgrade)(context, file, options)
        }),
      )
  }
  addChanges(plugin, context)
  addRestart(plugin, context)
  addRun(plugin, context)
  addLimits(plugin, context)
  addLooks(plugin, context)
  addSettings(plugin, context)
}

function withChange(command: Command, yesWords = 'skip the confirmation prompt'): Command {
  return addServerOptions(command).option('--plan', planWords).option('-y, --yes', yesWords).addOption(waitOption())
}

function waitOption(): Option {
  return new Option('--wait <seconds>', 'how long to wait until it is done').argParser(secondsOf).default(120)
}

function addChanges(plugin: Command, context: CommandContext): void {
  withChange(plugin.command('rollback'))
    .description('roll back to the previous version, like an upgrade')
    .argument('<name>', 'name of the plugin')
    .action(
      runCommand(context, async (name: string, options: ManageOptions) => {
        const { rollBack } = await import('./manage.ts')
        return rollBack(context, name, options)
      }),
    )
  withChange(plugin.command('uninstall'))
    .description('uninstall a plugin; keep its stored data')
    .argument('<name>', 'name of the plugin')
    .option('--purge', 'also delete its stored data, permanently')
    .action(
      runCommand(context, async (name: string, options: UninstallOptions) => {
        const { uninstall } = await import('./manage.ts')
        return uninstall(context, name, options)
      }),
    )
  for (const word of ['enable', 'disable'] as const) {
    addServerOptions(plugin.command(word))
      .description(word === 'enable' ? 'start a plugin' : 'stop a plugin; its APIs answer 503 meanwhile')
      .argument('<name>', 'name of the plugin')
      .option('--plan', planWords)
      .addOption(waitOption())
      .action(
        runCommand(context, async (name: string, options: ManageOptions) => {
          const { switchPlugin } = await import('./manage.ts')
          await switchPlugin(context, { name, enabled: word === 'enable' }, options)
        }),
      )
  }
}

function addRestart(plugin: Command, context: CommandContext): void {
  addServerOptions(plugin.command('restart'))
    .description('restart the processes of a plugin without downtime')
    .argument('<name>', 'name of the plugin')
    .addOption(waitOption())
    .action(
      runCommand(context, async (name: string, options: ServerOptions & { readonly wait: number }) => {
        const { restart } = await import('./manage.ts')
        await restart(context, name, options)
      }),
    )
}

function addRun(plugin: Command, context: CommandContext): void {
  addServerOptions(plugin.command('run'))
    .description('run a schedule of a plugin now, and say how it ended')
    .argument('<name>', 'name of the plugin')
    .argument('<schedule>', 'name of the schedule, as pergola plugin show lists it')
    .addOption(waitOption())
    .action(
      runCommand(context, async (name: string, schedule: string, options: RunOptions) => {
        const { runSchedule } = await import('./run-schedule.ts')
        await runSchedule(context, { name, schedule }, options)
      }),
    )
}

function addLimits(plugin: Command, context: CommandContext): void {
  addServerOptions(plugin.command('limits'))
    .description('show or set what the processes of a plugin may use on each server')
    .argument('<name>', 'name of the plugin')
    .option('--memory <MiB>', 'memory of all its processes')
    .option('--scratch <MiB>', 'size of its temporary files')
    .option('--processes <count>', 'processes at the same time')
    .option('--reset', 'first clear what was set')
    .addOption(waitOption())
    .action(
      runCommand(context, async (name: string, options: LimitOptions) => {
        const { pluginLimits } = await import('./limits.ts')
        await pluginLimits(context, name, options)
      }),
    )
}

function addLooks(plugin: Command, context: CommandContext): void {
  addServerOptions(plugin.command('list'))
    .description('list plugins and their states')
    .addOption(outputOption(['table', 'json', 'name']))
    .action(
      runCommand(context, async (options: ShowOptions) => {
        const { listPlugins } = await import('./show.ts')
        await listPlugins(context, options)
      }),
    )
  addServerOptions(plugin.command('show'))
    .description('show a plugin: version, replicas, API groups')
    .argument('<name>', 'name of the plugin')
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (name: string, options: ShowOptions) => {
        const { showPlugin } = await import('./show.ts')
        await showPlugin(context, name, options)
      }),
    )
  addServerOptions(plugin.command('logs'))
    .description('print the latest log lines of a plugin, of all replicas in the order of their times')
    .argument('<name>', 'name of the plugin')
    .option('--replica <name>', 'only of this replica, by its name or the beginning of its id')
    .option('-f, --follow', 'print new lines until Ctrl-C')
    .action(
      runCommand(context, async (name: string, options: LogOptions) => {
        const { showLogs } = await import('./logs.ts')
        await showLogs(context, name, options)
      }),
    )
}

function addSettings(plugin: Command, context: CommandContext): void {
  addServerOptions(plugin.command('settings'))
    .description('show the settings of a plugin, or change some')
    .argument('<name>', 'name of the plugin')
    .argument('[settings...]', 'key=value each')
    .option('--set-secret <key>', 'prompt for a secret without showing it; repeatable', collect, [])
    .option('--secret-file <key=file>', 'read a secret from a file; repeatable', collect, [])
    .option('--unset <key>', 'remove a setting; repeatable', collect, [])
    .option('--plan', planWords)
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (name: string, words: readonly string[], options: SettingsOptions) => {
        const { settings } = await import('./settings.ts')
        await settings(context, { name, words }, options)
      }),
    )
}

function secondsOf(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('it is a whole number of seconds.')
}
