import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addSelectionOptions } from '../objects/selection-options.ts'
import { addServerOptions } from '../server/server-options.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { ExportOptions } from './export.ts'
import type { ImportOptions } from './import.ts'

const exportHelp = `NDJSON has a line with the model before its objects, then an object per line. A file that ends with .csv has a column per
field. While it is written, the file is <file>.partial; after an interruption, --resume continues it. Objects that change
meanwhile may be exported as they were before or after. Objects of plugin packages, tokens and passwords are not exported.`

const importHelp = `Objects are created, or updated by their names, 100 at a time; a line that fails is reported, and the others are done. After an
interruption, --resume continues behind the last line that was stored. In a CSV the header has the paths of the fields:
metadata.name,spec.title,spec.due. Fields without a column are kept; an empty cell removes the field, "" is the empty text.`

/** Commands that move many objects between a server and a file. */
export function addTransferCommands(program: Command, context: CommandContext): void {
  addSelectionOptions(addServerOptions(program.command('export')))
    .description('write objects of models to a file, as NDJSON or CSV')
    .argument('[resources...]', 'plural or singular names, with the group if a name is ambiguous')
    .requiredOption('-o, --out <file>', 'the file, by its end .csv or NDJSON; - is stdout')
    .option('--all', 'all models that you may list, apart from secrets')
    .option('--columns <paths>', 'columns of a CSV: metadata.name,spec.title; by default all fields')
    .option('--resume', 'continue an interrupted export')
    .addHelpText('after', `\n${exportHelp}`)
    .action(
      runCommand(context, async (resources: readonly string[], options: ExportOptions) => {
        const [{ exportObjects }, { limitHeap }] = await Promise.all([import('./export.ts'), import('./limit-heap.ts')])
        limitHeap()
        await exportObjects(context, resources, options)
      }),
    )
  addServerOptions(program.command('import'))
    .description('create or update objects from a file that export has written, or from any CSV')
    .argument('<file>', 'NDJSON, or CSV if it ends with .csv; - is NDJSON from stdin')
    .option('--resource <resource>', 'the resource of the objects in a CSV')
    .option('--no-status', 'leave out the status of objects that have one of its own')
    .option('--plan', 'only show what would change; the server validates the objects and stores nothing')
    .option('--resume', 'continue an interrupted import')
    .addHelpText('after', `\n${importHelp}`)
    .action(
      runCommand(context, async (file: string, options: ImportOptions) => {
        const [{ importObjects }, { limitHeap }] = await Promise.all([import('./import.ts'), import('./limit-heap.ts')])
        limitHeap()
        return importObjects(context, file, options)
      }),
    )
}
