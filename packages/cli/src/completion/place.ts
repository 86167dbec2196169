import type { Argument, Command, Option } from 'commander'

/** Where the cursor is in a command line. */
export interface Place {
  /** The command as far as it is known. */
  readonly command: Command
  /** Its words, without `pergola`. */
  readonly path: readonly string[]
  /** Values of the arguments before the cursor, by name. */
  readonly given: ReadonlyMap<string, readonly string[]>
  /** Values of the options before the cursor, by long name. */
  readonly options: ReadonlyMap<string, string>
  /** The word before the cursor; of an option such as `--output=js` only its value. */
  readonly current: string
  /** What `current` has to follow in the candidates: `--output=`. */
  readonly prefix: string
  /** What can stand at the cursor. */
  readonly wanted: Option | Argument | 'option' | 'command' | undefined
}

/** Follows the words up to the last one, which is at the cursor. */
export function placeOf(program: Command, words: readonly string[]): Place {
  const before = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  const walk = {
    command: program,
    path: [] as string[],
    positionals: [] as string[],
    options: new Map<string, string>(),
  }
  let pending: Option | undefined
  let onlyArguments = false
  for (const word of before) {
    if (pending) {
      walk.options.set(pending.long ?? '', word)
      pending = undefined
    } else if (word === '--') onlyArguments = true
    else if (word.startsWith('-') && word !== '-' && !onlyArguments) pending = takeOption(walk, word)
    else takeWord(walk, word)
  }
  const { command, path, options } = walk
  const found = { command, path, options, given: givenTo(command, walk.positionals) }
  if (pending) return { ...found, current: last, prefix: '', wanted: pending }
  if (last.startsWith('-') && !onlyArguments) return { ...found, ...atOption(command, last) }
  const isCommand = command.commands.length > 0
  const wanted = isCommand ? ('command' as const) : argumentAt(command, walk.positionals.length)
  return { ...found, current: last, prefix: '', wanted }
}

interface Walk {
  command: Command
  readonly path: string[]
  readonly positionals: string[]
  readonly options: Map<string, string>
}

/** Returns the option whose value is the next word. */
function takeOption(walk: Walk, word: string): Option | undefined {
  const at = word.indexOf('=')
  const option = optionOf(walk.command, at < 0 ? word : word.slice(0, at))
  if (at >= 0) walk.options.set(option?.long ?? '', word.slice(at + 1))
  return at < 0 && option?.required ? option : undefined
}

function takeWord(walk: Walk, word: string): void {
  const below = walk.command.commands.find((one) => one.name() === word || one.aliases().includes(word))
  if (!below) walk.positionals.push(word)
  else {
    walk.command = below
    walk.path.push(below.name())
  }
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag)
}

function atOption(command: Command, last: string): Pick<Place, 'current' | 'prefix' | 'wanted'> {
  const at = last.indexOf('=')
  const option = at < 0 ? undefined : optionOf(command, last.slice(0, at))
  if (!option?.required) return { current: last, prefix: '', wanted: 'option' }
  return { current: last.slice(at + 1), prefix: last.slice(0, at + 1), wanted: option }
}

function argumentAt({ registeredArguments }: Command, at: number): Argument | undefined {
  const last = registeredArguments.at(-1)
  return registeredArguments[at] ?? (last?.variadic ? last : undefined)
}

function givenTo(command: Command, positionals: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const named = positionals.map((word, at) => ({ word, name: argumentAt(command, at)?.name() ?? '' }))
  return new Map([...Map.groupBy(named, ({ name }) => name)].map(([name, all]) => [name, all.map(({ word }) => word)]))
}
