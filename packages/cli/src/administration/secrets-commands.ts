import type { Administration, RotatedSecrets } from '@pergola/server'
import type { Command } from 'commander'
import { tableOf } from '../terminal/table.ts'
import { configOf, configOption } from './config-option.ts'
import { addShared, print, runAdministration, type SharedOptions } from './run-administration.ts'

/** Commands for operators who rotate the encryption keys of secrets. */
export function addSecretsCommands(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('manage the encryption of secrets; works on the database itself')
  secrets
    .command('keys')
    .description('list the configured keys with their ids, as pergola doctor prints them')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .action(listKeys)
  addShared(secrets.command('rotate'))
    .description('encrypt every secret with the first of secrets.keys; afterwards the other keys can be removed')
    .addHelpText('after', '\nRefused while a running server does not have that key.')
    .action((options: SharedOptions) => runAdministration(options, (administration) => rotate(administration, options)))
}

async function listKeys(options: SharedOptions): Promise<void> {
  const { listKeys: list } = await import('@pergola/server')
  const code = await list(configOf(options), (keys) => {
    const rows = keys.map(({ id, from }, at) => [id, from, at === 0 ? 'seals and opens' : 'opens'])
    const none = ['  There are no keys.  Next:  set secrets.keys']
    print(options, { items: keys }, rows.length === 0 ? none : tableOf(['KEY', 'FROM', 'USE'], rows))
  })
  process.exit(code)
}

async function rotate(administration: Administration, options: SharedOptions): Promise<void> {
  const tell = ({ sealed, unchanged, failed }: RotatedSecrets) => {
    if (!options.json) process.stdout.write(`  ${sealed + unchanged + failed.length} secrets looked at\n`)
  }
  const rotated = await administration.rotateSecrets(tell)
  const { sealed, unchanged, failed } = rotated
  if (options.json || failed.length === 0) {
    const next = sealed + unchanged === 0 ? '' : '; other keys are no longer needed'
    print(options, rotated, [
      `  ${sealed} ${sealed === 1 ? 'secret' : 'secrets'} sealed with the first key, ${unchanged} already were${next}`,
    ])
  }
  if (failed.length === 0) return
  const names = failed.map(({ name, why }) => `  ${name}: ${why}`).join('\n')
  throw new Error(`${failed.length} of ${sealed + unchanged + failed.length} secrets could not be opened:\n${names}`)
}
