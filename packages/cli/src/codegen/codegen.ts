import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { CommandFault, usedWrongly } from '../terminal/command-fault.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import { readDescribedApi, type DescribedVersion } from './described-api.ts'
import { moduleText } from './module-text.ts'

export interface CodegenOptions extends ServerOptions {
  readonly out: string
  readonly group: readonly string[]
  readonly check?: boolean
}

/** Generates a typed module for calling a server. */
export async function codegen(
  context: CommandContext,
  { out, group: groups, check, ...options }: CodegenOptions,
): Promise<ExitCode | void> {
  const { terminal } = context
  const { client, url } = await connect(context, options)
  const isWanted = (group: string) => (groups.length > 0 ? groups.includes(group) : isOfPlugin(group))
  const versions = await attempting({ verb: 'get', resource: '/openapi/v3' }, () => readDescribedApi(client, isWanted))
  const missing = groups.find((name) => !versions.some(({ group }) => group.endsWith(name)))
  if (missing !== undefined) throw usedWrongly(`there is nothing in the group "${missing}"`)
  if (versions.length === 0) throw usedWrongly('no plugin serves anything there yet; choose a group by --group')
  const text = moduleText(versions, url)
  if (check) return checkFile(context, out, text)
  if (out === '-') return terminal.write(text)
  mkdirSync(dirname(out), { recursive: true })
  writeFileSync(out, text)
  const first = versions.flatMap(({ models }) => models)[0]
  return terminal.print([
    `  ${out}  ${counted(versions)}`,
    `  next      import { connect${first ? `, ${first.kind}` : ''} } from './${out.split('/').at(-1)}'`,
  ])
}

/** Compares everything but the first line, which names the server: CI may ask another one. */
async function checkFile({ terminal }: CommandContext, out: string, text: string): Promise<ExitCode> {
  if (out === '-') throw usedWrongly('--check needs the file to compare with, not -')
  const present = existsSync(out) ? readFileSync(out, 'utf8') : undefined
  if (present !== undefined && body(present) === body(text)) {
    await terminal.print([`  ${out} is up to date`])
    return exitCodes.done
  }
  const [was, is] = [body(present ?? ''), body(text)].map((all) => all.split('\n')) as [string[], string[]]
  const at = is.findIndex((line, index) => line !== was[index])
  const where = present === undefined ? 'does not exist' : `is out of date, from line ${(at < 0 ? is.length : at) + 2}`
  throw new CommandFault(`${out} ${where}`, { next: `pergola codegen --out ${out}` })
}

function body(text: string): string {
  return text.slice(text.indexOf('\n') + 1)
}

/** Groups of the host are generated only when named. */
function isOfPlugin(group: string): boolean {
  return group !== '' && group !== 'platform.run' && !group.endsWith('.platform.run')
}

function counted(versions: readonly DescribedVersion[]): string {
  const models = versions.flatMap((version) => version.models)
  const own = models.filter(({ isOwn }) => isOwn).length
  const routes = versions.flatMap((version) => version.routes).length
  const words = [
    [models.length - own, 'model'],
    [own, 'collection of callers'],
    [routes, 'custom API'],
  ] as const
  return words.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`])).join(', ')
}
