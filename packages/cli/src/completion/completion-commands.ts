import { Argument, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { runCommand } from '../terminal/run-command.ts'
import { shells, type Shell } from './shells.ts'

const help = `
Load it in every new shell:
  bash    echo 'source <(pergola completion bash)' >> ~/.bashrc
  zsh     echo 'source <(pergola completion zsh)' >> ~/.zshrc, below compinit
  fish    pergola completion fish > ~/.config/fish/completions/pergola.fish

Names of resources, objects and fields come from the server. They are cached in $XDG_CACHE_HOME/pergola, readable only by
you: names of objects for 30 seconds, the rest for 5 minutes. Without the server, there are none, and no message.`

/** The command that prints completion scripts. */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print the script that completes commands, names and fields in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices([...shells]))
    .addHelpText('after', help)
    .action(
      runCommand(context, async (shell: Shell) => {
        const { completionScripts } = await import('./scripts.ts')
        await context.terminal.write(completionScripts[shell])
      }),
    )
}
