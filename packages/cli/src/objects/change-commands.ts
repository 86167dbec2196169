import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/server-options.ts'
import { collect } from '../terminal/collect.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { EditOptions } from './edit/edit.ts'
import type { LabelOptions } from './label.ts'
import type { PatchOptions } from './patch.ts'
import { addSelectionOptions, resourceWords } from './selection-options.ts'

const planWords = 'only show what would change; the server validates it and stores nothing'

/** Commands that change stored objects in place. */
export function addChangeCommands(program: Command, context: CommandContext): void {
  addServerOptions(program.command('edit'))
    .description('edit objects as YAML in your editor')
    .argument('<resource>', resourceWords)
    .argument('<names...>', 'names of the objects, one editor after the other')
    .option('--status', 'edit the status instead')
    .option('--plan', planWords)
    .addHelpText('after', `\n${editHelp}`)
    .action(
      runCommand(context, async (resource: string, names: readonly string[], options: EditOptions) => {
        const { edit } = await import('./edit/edit.ts')
        await edit(context, { resource, names }, options)
      }),
    )
  addServerOptions(program.command('patch'))
    .description('change single fields of objects')
    .argument('<resource>', resourceWords)
    .argument('<names...>', 'names of the objects')
    .option('--set <term>', 'a field and its new value: spec.state=done; repeatable', collect, [])
    .option('--remove <path>', 'a field to remove: spec.due; repeatable', collect, [])
    .option('-p, --patch <json>', 'a merge patch (an object) or a JSON Patch (an array)')
    .option('--patch-file <file>', 'such a patch from a file; - is stdin')
    .option('--status', 'change the status instead')
    .option('--plan', planWords)
    .action(
      runCommand(context, async (resource: string, names: readonly string[], options: PatchOptions) => {
        const { patchObjects } = await import('./patch.ts')
        return patchObjects(context, { resource, names }, options)
      }),
    )
  for (const [name, part] of [
    ['label', 'labels'],
    ['annotate', 'annotations'],
  ] as const) {
    addSelectionOptions(addServerOptions(program.command(name)))
      .description(`set and remove ${part} of objects`)
      .argument('<resource>', resourceWords)
      .argument('<names...>', 'names of the objects; then key=value to set, key- to remove')
      .option('--all', 'all objects of the resource')
      .option('--plan', planWords)
      .action(
        runCommand(context, async (resource: string, words: readonly string[], options: LabelOptions) => {
          const { label } = await import('./label.ts')
          return label(context, { part, resource, words }, options)
        }),
      )
  }
}

const editHelp = `The editor is that of PERGOLA_EDITOR, VISUAL or EDITOR, by default vi. Errors come back as comments above their lines. If
somebody else has changed the object meanwhile, the text comes back with the changes of both. Close without saving to give up;
a text that could not be stored is kept in a file.`
