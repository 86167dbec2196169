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
    .description('run a host with the plugin in this folder; reload on every save')
    .option('--port <port>', 'port of the host, on this machine only; 0 picks a free one', portOf, 8090)
    .option('--inspect-port <port>', 'port for a debugger', portOf, 9229)
    .option('--no-inspect', 'disable the debugger; a plugin that hangs is killed, as in production')
    .option('--reset', 'delete the database and start again with the objects of seed/')
    .option('--verbose', 'show every request and every log line of the host')
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
