import { InvalidArgumentError, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/server-options.ts'
import { collect } from '../terminal/collect.ts'
import { objectForms, outputOption } from '../terminal/output-option.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { ApplyOptions } from './apply.ts'
import type { DeleteOptions } from './delete.ts'
import type { GetOptions } from './get.ts'
import type { ListOptions } from './list.ts'
import { addSelectionOptions, resourceWords } from './selection-options.ts'

/** Commands for objects of any model, including the host's. */
export function addObjectCommands(program: Command, context: CommandContext): void {
  addSelectionOptions(addServerOptions(program.command('list')))
    .description('list objects')
    .argument('<resource>', resourceWords)
    .addOption(outputOption(['table', 'yaml', 'json', 'name', ...objectForms]))
    .option('--any-of <terms>', 'indexed fields and their values, one of which is enough; repeatable', collect, [])
    .option('--sort <field>', 'an indexed field, descending as -spec.due or spec.due,desc; repeatable', collect, [])
    .option('--limit <count>', 'maximum number of objects', countOf)
    .option('-w, --watch', 'after the list, print every change until Ctrl-C')
    .option(
      '--expand <path>',
      'a reference such as spec.event: shows the titles of the objects it names; repeatable',
      collect,
      [],
    )
    .option('--nonconforming', 'only objects that do not conform to the current schema')
    .action(
      runCommand(context, async (resource: string, options: ListOptions) => {
        const { list } = await import('./list.ts')
        return list(context, resource, options)
      }),
    )
  addServerOptions(program.command('get'))
    .description('show objects, by default as YAML; without names, list them')
    .argument('<resource>', resourceWords)
    .argument('[names...]', 'names of the objects')
    .addOption(outputOption(['yaml', 'json', 'name', 'table', ...objectForms]).default(undefined))
    .action(
      runCommand(context, async (resource: string, names: readonly string[], options: GetOptions) => {
        const { get } = await import('./get.ts')
        return get(context, { resource, names }, options)
      }),
    )
  addApply(program, context)
  addDelete(program, context)
}

function addApply(program: Command, context: CommandContext): void {
  addServerOptions(program.command('apply'))
    .description('create or update objects from files')
    .requiredOption('-f, --filename <file>', 'YAML or JSON, a folder of them, or - for stdin; repeatable', collect)
    .option('-R, --recursive', 'include nested folders')
    .option('--plan', 'only show what would change; the server validates the objects and stores nothing')
    .addHelpText('after', `\n${applyHelp}`)
    .action(
      runCommand(context, async (options: ApplyOptions) => {
        const { apply } = await import('./apply.ts')
        return apply(context, options)
      }),
    )
}

function addDelete(program: Command, context: CommandContext): void {
  addSelectionOptions(addServerOptions(program.command('delete')))
    .description('delete objects by name or selector, or those in files')
    .argument('[resource]', resourceWords)
    .argument('[names...]', 'names of the objects')
    .option('-f, --filename <file>', 'YAML or JSON, a folder of them, or - for stdin; repeatable', collect)
    .option('-R, --recursive', 'include nested folders')
    .option('--all', 'all objects of the resource')
    .option('--plan', 'only show what would be deleted')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(
      runCommand(context, async (resource: string | undefined, names: readonly string[], options: DeleteOptions) => {
        const { deleteObjects } = await import('./delete.ts')
        return deleteObjects(context, { resource, names }, options)
      }),
    )
}

const applyHelp = `Each top-level field of the file except metadata, such as spec, replaces the stored field. Labels, annotations
and finalizers stay unchanged unless the file contains them. If the file contains metadata.version and the
stored object has another version, the object is rejected.`

function countOf(text: string): number {
  const count = Number(text)
  if (/^\d{1,9}$/.test(text) && count >= 1) return count
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999999.')
}
