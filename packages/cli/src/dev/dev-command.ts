import { InvalidArgumentError, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'

const exitCodes = `
Follows src/, extensions/ and package.json; what cannot be used is told, and the version before keeps answering. Objects of seed/ are
written once. The database is kept in .pergola/, where people.json (yours alone) lets other commands act as somebody: --as ann.

Ends with 0 when it is told to stop, with 1 when it cannot start, with 2 when this is no folder of a plugin.`

interface Options {
  readonly port: number
  readonly inspectPort: number
  readonly inspect: boolean
  readonly reset?: boolean
  readonly verbose?: boolean
}

/** Command for plugin authors. */
export function addDevCommand(program: Command, { variables, version }: CommandContext): void {
  program
    .command('dev')
    .description('a host with the plugin in this folder, which follows every save')
    .option('--port <port>', 'where the host listens, on this machine alone; 0 takes a free one', portOf, 8090)
    .option('--inspect-port <port>', 'where a debugger finds the plugin', portOf, 9229)
    .option('--no-inspect', 'let no debugger in; a plugin that hangs is ended, as it would be elsewhere')
    .option('--reset', 'forget the database and begin anew, with the objects of seed/')
    .option('--verbose', 'show every request, and all that the host says')
    .addHelpText('after', exitCodes)
    .action(async ({ port, inspectPort, inspect, reset = false, verbose = false }: Options) => {
      // Loaded on demand, so that `--help` does not load the bundler.
      const [{ dev }, { conditionsOf }] = await Promise.all([import('./dev.ts'), import('../plugin/conditions.ts')])
      const code = await dev({
        folder: process.cwd(),
        port,
        inspectPort: inspect ? inspectPort : undefined,
        reset,
        verbose,
        conditions: conditionsOf(process.execArgv),
        endsWithParent: variables['npm_command'] !== undefined,
        version,
      })
      // Exits explicitly, because open handles could keep the process alive.
      process.exit(code)
    })
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}
