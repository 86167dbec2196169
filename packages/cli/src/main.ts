import { serve, version } from '@pergola/server'
import { Command } from 'commander'

const program = new Command('pergola')
  .description('The command of Pergola, a host for plugins.')
  .version(version())
  .showHelpAfterError('Try:  pergola --help')

program
  .command('serve')
  .description('run the server until it is told to stop')
  .option('-c, --config <file>', 'configuration file (default: pergola.yaml, when it is there)')
  .action(async ({ config }: { config?: string }) => {
    // Whatever is still open after the server has stopped must not keep the process.
    process.exit(await serve({ ...(config !== undefined && { configFile: config }) }))
  })

await program.parseAsync()
