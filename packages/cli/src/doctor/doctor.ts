import { statSync } from 'node:fs'
import type { Check, Examination, Finding } from '@pergola/server'
import type { CommandContext } from '../command-context.ts'
import { chooseUrl, storedLogin } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { readinessCheck } from './readiness.ts'
import { runChecks } from './run-checks.ts'
import { serverChecks, type Target } from './server-checks.ts'

const defaultConfigFile = 'pergola.yaml'

export interface DoctorOptions extends ServerOptions {
  readonly output: Output
  readonly config?: string
}

/** Findings under one heading. */
interface Section {
  readonly title: string
  readonly findings: readonly Finding[]
}

interface Report {
  readonly server?: Section
  readonly machine?: Section
}

/** Checks a server, and its machine if its configuration is here; prints the findings, with advice for each problem. */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<ExitCode> {
  const file = configFileOf(context, options)
  const machine = file === undefined ? undefined : await examined(file)
  const target = await targetOf(context, options, machine)
  const remote = target ? checksOf(context, target, machine !== undefined) : []
  const [server, here] = await Promise.all([runChecks(remote), runChecks(machine?.checks ?? [])])
  const report: Report = {
    ...(target && { server: { title: target.url, findings: server } }),
    ...(file !== undefined && { machine: { title: `${file} and this machine`, findings: here } }),
  }
  await print(context.terminal, report, options)
  const isFailed = [...server, ...here].some(({ level }) => level === 'failed')
  return isFailed ? exitCodes.failed : exitCodes.done
}

/**
 * Without an option, only a file of this account or of root: one that somebody else left in a shared folder could name any
 * database and provider.
 */
function ownDefault(): string | undefined {
  const owner = statSync(defaultConfigFile, { throwIfNoEntry: false })?.uid
  return owner === 0 || owner === process.getuid?.() ? defaultConfigFile : undefined
}

/** A server that is named may be on another machine; without one, the file in this folder is of the server here. */
function configFileOf({ variables }: CommandContext, { config, server, as }: DoctorOptions): string | undefined {
  const isElsewhere = [server, as, variables['PERGOLA_SERVER']].some(Boolean)
  return config ?? (isElsewhere ? undefined : ownDefault())
}

async function examined(configFile: string): Promise<Examination> {
  const { examine } = await import('@pergola/server')
  return examine({ configFile })
}

function checksOf(context: CommandContext, target: Target, goesOn: boolean): readonly Check[] {
  return [readinessCheck(target, { version: context.version, goesOn }), ...serverChecks(context, target)]
}

/** By default the server of the configuration. Undefined if the configuration cannot be used. */
async function targetOf(
  context: CommandContext,
  options: DoctorOptions,
  machine: Examination | undefined,
): Promise<Target | undefined> {
  const named = options.server ?? (context.variables['PERGOLA_SERVER'] || undefined)
  if (machine && named === undefined) {
    const { url } = machine
    // Only a login at this very address: another program may listen here while the server is down.
    return url === undefined ? undefined : { url, token: storedLogin(context, url), options: ` --server ${url}` }
  }
  const { url, token } = await chooseUrl(context, options)
  const insecure = options.insecureHttp ? ' --insecure-http' : ''
  return { url, token, options: options.server === undefined ? '' : ` --server ${url}${insecure}` }
}

const colours = { ok: 'green', warn: 'yellow', failed: 'red' } as const

async function print(terminal: Terminal, { server, machine }: Report, { output }: DoctorOptions): Promise<void> {
  if (output === 'json') {
    return printJson(terminal, { server: server?.title, items: server?.findings ?? [], machine: machine?.findings })
  }
  for (const { title, findings } of [server, machine].filter((section) => section !== undefined)) {
    await terminal.print([`  ${title}`, ...findings.flatMap((finding) => findingLines(terminal, finding))])
  }
}

function findingLines({ paint }: Terminal, { level, name, words, advice }: Finding): readonly string[] {
  const line = `  ${paint(colours[level], level.padEnd(6))}  ${name.padEnd(12)}  ${words}`
  return [line, ...(advice === undefined ? [] : [`${' '.repeat(24)}${advice}`])]
}
