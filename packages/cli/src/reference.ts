import type { Argument, Command, Option } from 'commander'
import { examples } from './examples.ts'
import { createProgram } from './program.ts'
import { exitCodeMeanings } from './terminal/exit-codes.ts'
import { createTerminal } from './terminal/terminal.ts'

/** A command as shown in the reference. */
export interface DescribedCommand {
  /** Usage line: `pergola list <resource>`. */
  readonly usage: string
  readonly description: string
  readonly examples: readonly string[]
  readonly parameters: readonly { readonly name: string; readonly meaning: string; readonly fallback: string }[]
}

export const exitCodeReference: readonly (readonly [number, string])[] = exitCodeMeanings

/** All commands with an action, read from the program itself. */
export function commandReference(): readonly DescribedCommand[] {
  const { stdin, stdout, stderr } = process
  const variables = {}
  const terminal = createTerminal({ stdin, stdout, stderr, variables })
  return described(createProgram({ terminal, variables, version: '' }), 'pergola')
}

function described(command: Command, path: string): readonly DescribedCommand[] {
  return command.commands.flatMap((below) => {
    const usage = `${path} ${below.name()}`
    if (below.commands.length > 0) return described(below, usage)
    const parameters = [
      ...below.registeredArguments.map((argument) => ({
        name: nameOf(argument),
        meaning: meaningOf(usage, argument.name(), argument.description),
        fallback: '',
      })),
      ...below.options.map((option) => ({
        name: option.flags,
        meaning: meaningOf(usage, option.flags, withChoices(option)),
        fallback: fallbackOf(option),
      })),
    ]
    const words = [usage, ...below.registeredArguments.map(nameOf)].join(' ')
    const description = sentence(meaningOf(usage, 'it', below.description()))
    return [{ usage: words, description, examples: examples[usage.replace('pergola ', '')] ?? [], parameters }]
  })
}

function nameOf(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name()
  return argument.required ? `<${name}>` : `[${name}]`
}

/** Throws when an argument or option has no description. */
function meaningOf(usage: string, what: string, meaning: string): string {
  if (meaning !== '') return meaning
  throw new Error(`${usage}: ${what} has no description`)
}

function withChoices({ description, argChoices }: Option): string {
  return argChoices && description !== ''
    ? `${description}: ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`
    : description
}

function fallbackOf({ defaultValue, negate }: Option): string {
  const isNothing = defaultValue === undefined || negate || (Array.isArray(defaultValue) && defaultValue.length === 0)
  return isNothing ? '' : String(defaultValue)
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}
