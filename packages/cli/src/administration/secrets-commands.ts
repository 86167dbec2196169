import type { Administration, RotatedSecrets } from '@pergola/server'
import type { Command } from 'commander'
import { tableOf } from '../terminal/table.ts'
import { configOf, configOption } from './config-option.ts'
import { addShared, print, runAdministration, type SharedOptions } from './run-administration.ts'

/** Commands for operators who rotate the encryption keys of secrets. */
export function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('look after sealed secrets; works on the database itself')
  secrets
    .command('keys')
    .description('list the keys of the configuration with their ids, by which pergola doctor names them')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .action(listKeys)
  addShared(secrets.command('rotate'))
    .description('seal every secret with the first of secrets.keys; the others can go afterwards')
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
