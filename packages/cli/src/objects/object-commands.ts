import { InvalidArgumentError, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/connect.ts'
import { collect } from '../terminal/collect.ts'
import { outputOption } from '../terminal/output-option.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { ApplyOptions } from './apply.ts'
import type { DeleteOptions } from './delete.ts'
import type { GetOptions } from './get.ts'
import type { ListOptions } from './list.ts'

const resourceWords = 'plural or singular, with its group where several have it: todos, todo, todos.todo.example.com'

/** Commands for objects of any model, including the host's. */
export function addObjectCommands(program: Command, context: CommandContext): void {
  addServerOptions(program.command('list'))
    .description('list objects')
    .argument('<resource>', resourceWords)
    .addOption(outputOption(['table', 'yaml', 'json', 'name']))
    .option('--where <term>', 'an indexed field and its value: spec.state=open; may be given again', collect, [])
    .option('--label <selector>', 'labels and their values: team=blue; may be given again', collect, [])
    .option('--sort <field>', 'an indexed field; -spec.due from the last to the first; may be given again', collect, [])
    .option('--limit <count>', 'at most this many', countOf)
    .option('--watch', 'then print every change until Ctrl-C')
    .option('--nonconforming', 'only objects that do not conform to the current schema')
    .action(
      runCommand(context, async (resource: string, options: ListOptions) => {
        const { list } = await import('./list.ts')
        return list(context, resource, options)
      }),
    )
  addServerOptions(program.command('get'))
    .description('show an object')
    .argument('<resource>', resourceWords)
    .argument('<name>', 'name of the object')
    .addOption(outputOption(['yaml', 'json', 'name']))
    .action(
      runCommand(context, async (resource: string, name: string, options: GetOptions) => {
        const { get } = await import('./get.ts')
        await get(context, { resource, name }, options)
      }),
    )
  addServerOptions(program.command('apply'))
    .description('create or update objects from files')
    .requiredOption(
      '-f, --filename <file>',
      'YAML or JSON, a folder of them, or - for stdin; may be given again',
      collect,
    )
    .option('-R, --recursive', 'include nested folders')
    .option('--plan', 'only show what would change; the server checks the objects and stores nothing')
    .addHelpText('after', `\n${applyWords}`)
    .action(
      runCommand(context, async (options: ApplyOptions) => {
        const { apply } = await import('./apply.ts')
        return apply(context, options)
      }),
    )
  addServerOptions(program.command('delete'))
    .description('delete objects by name, or those in files')
    .argument('[resource]', resourceWords)
    .argument('[names...]', 'names of the objects')
    .option('-f, --filename <file>', 'YAML or JSON, a folder of them, or - for stdin; may be given again', collect)
    .option('-R, --recursive', 'include nested folders')
    .option('--plan', 'only show what would be deleted')
    .option('-y, --yes', 'do not ask')
    .action(
      runCommand(context, async (resource: string | undefined, names: readonly string[], options: DeleteOptions) => {
        const { deleteObjects } = await import('./delete.ts')
        return deleteObjects(context, { resource, names }, options)
      }),
    )
}

const applyWords = `What a file says of spec, or of any other field beside metadata, takes the place of what is stored. Labels,
annotations and finalizers that it does not speak of stay. A metadata.version in it is the version that
somebody had read: when the object has another one by now, it is refused.`

function countOf(text: string): number {
  const count = Number(text)
  if (/^\d{1,9}$/.test(text) && count >= 1) return count
  throw new InvalidArgumentError('it is a whole number from 1 on.')
}
