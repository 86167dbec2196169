import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addRemoteCommands } from './remote/remote-commands.ts'

/** Commands for authors and operators of plugins. */
export function addPluginCommands(program: Command, context: CommandContext): void {
  const plugin = program.command('plugin').description('build plugins, and manage those of a server')
  plugin
    .command('pack')
    .description('build a package (.tgz) of the plugin in this folder, and show what it will do')
    .option('--out <folder>', 'output folder of the package', '.')
    .addHelpText(
      'after',
      '\nEnds with 1 when something in the plugin has to be changed, with 2 when this is no plugin.',
    )
    .action(async ({ out }: { out: string }) => {
      process.exitCode = await pack(out)
    })
  addRemoteCommands(plugin, context)
}

async function pack(out: string): Promise<number> {
  // Loaded on demand, so that `--help` does not load the bundler.
  const [{ packPlugin }, { conditionsOf }, { AuthorFault, ProjectFault }, { renderPlan }] = await Promise.all([
    import('./pack.ts'),
    import('./conditions.ts'),
    import('./author-fault.ts'),
    import('@pergola/api'),
  ])
  const folder = process.cwd()
  try {
    const packed = await packPlugin({ folder, out: resolve(out), conditions: conditionsOf(process.execArgv) })
    const { inlined, codeSize, summary, warnings, file, size, digest } = packed
    if (warnings !== '') process.stderr.write(`${warnings}\n`)
    const counted = `${inlined.length} ${inlined.length === 1 ? 'dependency' : 'dependencies'} inlined`
    const lines = [
      `  plugin.js ${kilobytes(codeSize)}, ${counted}, no native code`,
      renderPlan(summary),
      `  ${relative(folder, file)}  ${kilobytes(size)}  ${digest}`,
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof AuthorFault || error instanceof ProjectFault)) throw error
    process.stderr.write(`${error.message}\n`)
    return error instanceof ProjectFault ? 2 : 1
  }
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_024)} KB`
}
