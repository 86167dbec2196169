import type { Command } from 'commander'
import { collect } from '../terminal/collect.ts'

export const resourceWords =
  'plural or singular name, with the group if the name is ambiguous: todos, todo, todos.todo.example.com'

/** Adds the options that select objects by indexed fields and by labels. */
export function addSelectionOptions(command: Command): Command {
  return command
    .option('--where <term>', 'an indexed field and its value: spec.state=open; repeatable', collect, [])
    .option('-l, --label <selector>', 'labels and their values: team=blue; repeatable', collect, [])
}
