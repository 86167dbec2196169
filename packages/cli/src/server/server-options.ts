import { Option, type Command } from 'commander'

export interface ServerOptions {
  readonly server?: string
  /** Name of a stored login. */
  readonly context?: string
  readonly insecureHttp?: boolean
  /** Test user of `pergola dev`. */
  readonly as?: string
}

/** Adds the options of every command that calls a server. */
export function addServerOptions(command: Command): Command {
  return addWhichServer(command).option('--as <person>', asWords)
}

export const asWords = 'as admin, ann or nobody, where "pergola dev" runs; on no other server'

/** Like `addServerOptions`, for commands where `--as` has another meaning. */
export function addWhichServer(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'server to use; default: that of "pergola dev" in this folder, else the last one signed in to (or PERGOLA_SERVER)',
    )
    .addOption(
      new Option('--context <context>', 'stored login to use, as context list shows it (or PERGOLA_CONTEXT)').conflicts(
        'server',
      ),
    )
    .option('--insecure-http', 'allow plain http to a server on another machine')
}
