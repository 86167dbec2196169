import { Option, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/server-options.ts'
import { collect } from '../terminal/collect.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { RawOptions } from './raw-request.ts'

/** The command for requests that no other command makes. */
export function addRawCommand(program: Command, context: CommandContext): void {
  addServerOptions(program.command('api'))
    .description('send any request with the stored login, and print the JSON of the answer')
    .argument('<path>', 'path with query: /apis, /apis/todo.example.com/v1alpha1/todos?size=5')
    .option('-X, --method <method>', 'GET by default, POST with fields or a body')
    .option(
      '-f, --raw-field <term>',
      'a field of the body, as text: spec.title=7; in the query of a GET; repeatable',
      collect,
      [],
    )
    .option(
      '-F, --field <term>',
      'the same for a number, true, false, null, a list or an object; repeatable',
      collect,
      [],
    )
    .addOption(new Option('--input <file>', 'the body, as JSON; - is stdin').conflicts(['rawField', 'field']))
    .option('-H, --header <header>', 'a header: "If-Match: …"; repeatable', collect, [])
    .option('--paginate', 'follow "continue" through all pages of a list, and print its items as one list')
    .option('-q, --jsonpath <path>', 'print only what this finds, a line each: .items[*].metadata.name')
    .action(
      runCommand(context, async (path: string, options: RawOptions) => {
        const { rawRequest } = await import('./raw-request.ts')
        await rawRequest(context, path, options)
      }),
    )
}
