import { InvalidArgumentError, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'

const exitCodes = `
Watches src/, extensions/ and package.json. If a saved version has errors, they are printed and the previous version keeps answering.
Objects of seed/ are created once. The database is in .pergola/; people.json there, readable only by you, lets other commands act as
test users: --as ann.

Exits with 0 after a stop, with 1 if it cannot start, with 2 if this is not the folder of a plugin.`

interface Options {
  readonly port: number
  readonly inspectPort: number
  readonly inspect: boolean
  readonly reset?: boolean
  readonly verbose?: boolean
  readonly as?: string
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
    .option('--as <user>', 'sign in as this user with the printed link; created without roles if needed')
    .option('--verbose', 'show every request and every log line of the host')
    .addHelpText('after', exitCodes)
    .action(async ({ port, inspectPort, inspect, reset = false, verbose = false, as }: Options) => {
      // Loaded on demand, so that `--help` does not load the bundler.
      const [{ dev }, { conditionsOf }] = await Promise.all([import('./dev.ts'), import('../plugin/conditions.ts')])
      const code = await dev({
        folder: process.cwd(),
        port,
        inspectPort: inspect ? inspectPort : undefined,
        reset,
        verbose,
        as,
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
