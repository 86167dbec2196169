import { statSync } from 'node:fs'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { showingProgress } from '../terminal/progress.ts'
import { configOf, configOption } from './config-option.ts'
import { print, type SharedOptions } from './run-administration.ts'

interface RestoreOptions extends SharedOptions {
  readonly replace?: true
}

/** Commands for operators that back up and restore all data. */
export function addBackupCommands(program: Command, context: CommandContext): void {
  const made = program
    .command('backup')
    .description('write a consistent snapshot of all data to a new file; servers keep running')
    .argument('<file>', 'the new file; must not exist')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', '\nWorks on the database of the configuration. Keys of sealed secrets are not in the file.')
    .action((file: string, options: SharedOptions) => backUp(context, file, options))
  made
    .command('verify')
    .description('read all of a backup: checksum, damage, and whether this release can use it; needs no database')
    .argument('<file>', 'the file that pergola backup wrote')
    .option('--json', 'print JSON')
    .action((file: string, options: SharedOptions) => verify(context, file, options))
  program
    .command('restore')
    .description('restore the database from a backup and sign everybody out; no server may be running')
    .argument('<file>', 'the file that pergola backup wrote, from the same engine')
    .option('--replace', 'replace existing data, which is moved aside and not deleted')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nTokens and roles that were taken from somebody after the backup are back: take them again.',
    )
    .action((file: string, options: RestoreOptions) => restore(context, file, options))
}

async function backUp({ terminal }: CommandContext, file: string, options: SharedOptions): Promise<void> {
  const { keep } = await import('@pergola/server')
  const code = await keep(configOf(options), async (keeping) => {
    let words = 'it is begun'
    {
      using _ = showingProgress(terminal, () => `backup: ${words}`)
      await keeping.backUp(file, (said) => (words = said))
    }
    const bytes = statSync(file).size
    print(options, { file, bytes }, [
      `  backup    ${file}  ${(bytes / 1024 / 1024).toFixed(1)} MB`,
      `  checksum  ${file}.sha256`,
      `  next      keep both; keep the keys of secrets.keys elsewhere; pergola restore ${file}`,
    ])
  })
  process.exit(code)
}

async function verify({ terminal }: CommandContext, file: string, options: SharedOptions): Promise<void> {
  const { verifyBackup } = await import('@pergola/server')
  try {
    let words = 'it is begun'
    const read = async () => {
      using _ = showingProgress(terminal, () => `verify: ${words}`)
      return verifyBackup(file, (said) => (words = said))
    }
    const { engine, schema, isChecked } = await read()
    const { number, lowestReader } = schema
    const bytes = statSync(file).size
    print(options, { file, bytes, engine, schema, isChecked }, [
      `  backup    ${file}  ${(bytes / 1024 / 1024).toFixed(1)} MB, ${engine}, read to the end`,
      isChecked ? '  checksum  matches' : `  checksum  none: ${file}.sha256 is not there, so damage may go unseen`,
      `  schema    ${number}, for servers with schema ${lowestReader} or later; this release can use it`,
      `  next      pergola restore ${file}`,
    ])
  } catch (error) {
    terminal.tell([error instanceof Error ? error.message : String(error)])
    process.exitCode = exitCodes.failed
  }
}

async function restore({ terminal }: CommandContext, file: string, options: RestoreOptions): Promise<void> {
  const { keep } = await import('@pergola/server')
  const code = await keep(configOf(options), async (keeping) => {
    let words = 'it is begun'
    const tell = (said: string) => (words = said)
    const restored = async () => {
      using _ = showingProgress(terminal, () => `restore: ${words}`)
      return keeping.restore({ from: file, replace: options.replace ?? false, tell })
    }
    const { aside, isChecked } = await restored()
    print(options, { file, aside, isChecked }, [
      `  restored  ${file}; everybody is signed out`,
      ...(isChecked ? [] : [`  unchecked ${file}.sha256 is not there, so damage may go unseen`]),
      ...(aside === undefined ? [] : [`  aside     ${aside} holds what was there; delete it when all is well`]),
      `  next      pergola serve, then pergola doctor`,
    ])
  })
  process.exit(code)
}
