import type { CommandContext } from '../command-context.ts'
import { addCommands, createRoot } from '../commands.ts'
import type { ServerOptions } from '../server/server-options.ts'
import type { KnownServer } from '../server/servers-file.ts'
import { visible } from '../terminal/visible.ts'
import { candidatesAt, type Candidate } from './candidates.ts'
import { placeOf, type Place } from './place.ts'
import type { Shell } from './shells.ts'
import { shellWords } from './shell-words.ts'

const mostShown = 200

/**
 * Prints what can stand at the cursor, a line each. The scripts of `pergola completion` call it. Prints nothing on any error,
 * because a message would end up in the line that somebody is typing.
 */
export async function complete(context: CommandContext, [shell = '', ...words]: readonly string[]): Promise<void> {
  try {
    const lines = await completionLines(context, shell as Shell, words)
    if (lines.length > 0) await context.terminal.write(`${lines.join('\n')}\n`)
  } catch {
    // Nothing to suggest.
  }
}

async function completionLines(
  context: CommandContext,
  shell: Shell,
  words: readonly string[],
): Promise<readonly string[]> {
  const typed = shell === 'bash' ? shellWords((words[0] ?? '').slice(0, Number(words[1]))).slice(1) : words
  const place = placeOf(addCommands(createRoot(), context), typed)
  const { options, current, prefix } = place
  const found = await candidatesAt(place, {
    server: async () => {
      const { createServerWords } = await import('./server-words.ts')
      return createServerWords(context, serverOf(options))
    },
    logins: () => loginsOf(context),
  })
  if (found === 'files') return [':files']
  const fitting = found.filter(({ word }) => word.startsWith(current)).slice(0, mostShown)
  const isOpen = fitting.length > 0 && fitting.every((one) => one.isOpen)
  return [...(isOpen ? [':open'] : []), ...fitting.map((one) => lineFor(shell, one, { prefix, current }))]
}

function serverOf(options: ReadonlyMap<string, string>): ServerOptions {
  const [server, context, as] = ['--server', '--context', '--as'].map((name) => options.get(name))
  return {
    ...(context !== undefined && { context }),
    ...(server !== undefined && { server }),
    ...(as !== undefined && { as }),
  }
}

async function loginsOf({ variables }: CommandContext): Promise<readonly KnownServer[]> {
  const { readServers, serversFileOf } = await import('../server/servers-file.ts')
  return readServers(serversFileOf(variables)).servers
}

/** bash replaces only what stands behind the last `=` or `:`; zsh and fish show the description. */
function lineFor(
  shell: Shell,
  { word, description }: Candidate,
  { prefix, current }: Pick<Place, 'prefix' | 'current'>,
): string {
  const typed = `${prefix}${current}`
  const whole = visible(`${prefix}${word}`)
  if (shell === 'bash') return escaped(whole.slice(Math.max(typed.lastIndexOf('='), typed.lastIndexOf(':')) + 1))
  const short = visible(description).slice(0, 60)
  return short === '' ? whole : `${whole}\t${short}`
}

/** A value of an enum could otherwise run a command; zsh and fish escape words themselves. */
function escaped(word: string): string {
  return word.replaceAll(/[^\w.,:=@%+/-]/g, String.raw`\$&`)
}
