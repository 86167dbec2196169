import {
  coreResources,
  planHeading,
  planSentence,
  renderSections,
  sectionOf,
  type ApprovedRight,
  type Plugin,
  limitNames,
  limitWords,
} from '@pergola/api'
import type { CommandContext } from '../../command-context.ts'
import { allOf } from '../../server/all-of.ts'
import { attempting } from '../../server/attempting.ts'
import { connect } from '../../server/connect.ts'
import type { ServerOptions } from '../../server/server-options.ts'
import type { Output } from '../../terminal/output-option.ts'
import { printJson } from '../../terminal/print-json.ts'
import { fittedTable } from '../../terminal/fitted-table.ts'
import { liveReplicas, type LiveReplica, type PluginUse } from '../../server/live-replicas.ts'
import { shortTime } from '../../terminal/times.ts'
import { shortened, visible } from '../../terminal/visible.ts'
import { aboutWords } from './about-words.ts'
import { stateOf, stateWords } from './plugin-object.ts'

export interface ShowOptions extends ServerOptions {
  readonly output: Output
}

export async function listPlugins(context: CommandContext, { output, ...options }: ShowOptions): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const found = await attempting({ verb: 'list', resource: 'plugins' }, () =>
    allOf(client.resource(coreResources.plugins).listAll({ sort: 'metadata.name' })),
  )
  if (output === 'json') return printJson(terminal, { items: found })
  if (output === 'name') return terminal.print(found.map(({ metadata }) => metadata.name))
  const rows = found.map(({ metadata, spec, status = {} }) => [
    visible(metadata.name),
    visible(spec.version),
    stateOf({ spec, status }),
    startedReplicas({ spec, status }),
    shortened(status.phase === 'Started' ? '' : (status.message ?? ''), 60),
  ])
  const table =
    rows.length === 0 ? [] : fittedTable(terminal, { heads: ['NAME', 'VERSION', 'STATE', 'REPLICAS', ''], rows })
  const next = rows.length === 0 ? 'pergola plugin install <file>' : 'pergola plugin show <name>'
  await terminal.print(rows.length === 0 ? ['  no plugins installed'] : table)
  await terminal.hint(next)
}

export async function showPlugin(
  context: CommandContext,
  name: string,
  { output, ...options }: ShowOptions,
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const plugin = await attempting({ verb: 'get', resource: 'plugins', name }, () =>
    client.resource(coreResources.plugins).get(name),
  )
  if (output === 'json') return printJson(terminal, plugin)
  // Those who may read plugins may not all list replicas.
  const live = await liveReplicas({ client }).catch(() => [])
  const next = [`settings ${name}`, `logs ${name}`].map((words) => `pergola plugin ${words}`).join(', ')
  await terminal.print([pluginText(plugin, live)])
  await terminal.hint(next)
}

export function pluginText({ metadata, spec, status = {} }: Plugin, live: readonly LiveReplica[] = []): string {
  const { version, displayName, digest, groups, dependencies = {}, candidate, previous, approved = [] } = spec
  const { upgrade, replicas = [], schedules = [] } = status
  return renderSections([
    ...sectionOf('plugin', [`${metadata.name}${displayName === undefined ? '' : `, ${displayName}`}`]),
    ...sectionOf('about', aboutWords(spec)),
    ...sectionOf('version', [`${version}  ${digest}`]),
    ...sectionOf('state', [stateOf({ spec, status }), ...linesOf(status.message)]),
    ...sectionOf(
      'replicas',
      replicas.map((replica) => {
        const { name = replica.replica, uses } = live.find(({ id }) => id === replica.replica) ?? {}
        const use = uses?.[metadata.name]
        if (replica.digest !== digest) return `${name}  ${stateWords(replica)}  (different version)`
        return [name, stateWords(replica), ...(use ? [useWords(use)] : [])].join('  ')
      }),
    ),
    ...sectionOf(
      'upgrade',
      upgrade ? [`${upgrade.from} -> ${upgrade.to}  ${upgrade.phase}`, ...linesOf(upgrade.message)] : [],
    ),
    ...sectionOf('limits', limitLines(spec)),
    ...sectionOf('candidate', candidate ? [candidate.version] : []),
    ...sectionOf('previous', previous ? [`${previous.version}, for pergola plugin rollback ${metadata.name}`] : []),
    ...sectionOf('groups', groups),
    ...sectionOf('approved', approved.map(approvedLine)),
    ...sectionOf(
      'requires',
      Object.entries(dependencies).map(([plugin, range]) => `${plugin} ${range}`),
    ),
    ...sectionOf(
      'schedules',
      schedules.map(({ name, lastRun, lastError, nextRun }) =>
        [
          name,
          ...(lastRun === undefined
            ? []
            : [`last run ${shortTime(lastRun)}${lastError === undefined ? '' : ` failed: ${lastError}`}`]),
          ...(nextRun === undefined ? [] : [`next run ${shortTime(nextRun)}`]),
        ].join('  '),
      ),
    ),
  ])
}

function useWords({ memoryBytes, cpu, exits, openRequests, requestsPerSecond, answerMs }: PluginUse): string {
  return [
    `${Math.round(memoryBytes / 2 ** 20)} MiB`,
    `${Math.round(cpu * 100)} % of a CPU`,
    ...(openRequests > 0 ? [`${openRequests} open`] : []),
    ...(answerMs === undefined ? [] : [`${requestsPerSecond.toFixed(1)} requests/s in ${Math.round(answerMs)} ms`]),
    ...(exits > 0 ? [`exited ${exits === 1 ? 'once' : `${exits} times`}`] : []),
  ].join(', ')
}

function limitLines({ limits = {}, needs = {} }: Plugin['spec']): readonly string[] {
  return limitNames.flatMap((limit) => {
    const value = limits[limit] ?? needs[limit]
    const by = limits[limit] === undefined ? 'needed by the plugin' : 'set'
    return value === undefined ? [] : [`${limitWords({ limit, value })}  (${by})`]
  })
}

function approvedLine(item: ApprovedRight): string {
  const { section, at, by } = item
  return `${planHeading(section)}: ${planSentence(section, item)}  (${approverWords(by)}, ${shortTime(at)})`
}

function approverWords({ user, plugin }: NonNullable<ApprovedRight['by']> = {}): string {
  if (user !== undefined) return plugin === undefined ? `by ${user}` : `by ${user} through ${plugin}`
  return plugin === undefined ? 'by the configuration' : `by the plugin ${plugin}`
}

/** Lines of a message, such as a stack trace; tabs would be escaped. */
function linesOf(message: string | undefined): readonly string[] {
  return message?.replaceAll('\t', '    ').split('\n') ?? []
}

interface Reported {
  readonly spec: Pick<Plugin['spec'], 'digest'>
  readonly status?: Plugin['status']
}

/** Counts replicas with the active version: one that prepares an upgrade reports two. */
export function startedReplicas({ spec, status }: Reported): string {
  const active = (status?.replicas ?? []).filter(({ digest }) => digest === spec.digest)
  if (active.length === 0) return ''
  return `${active.filter(({ phase }) => phase === 'Started').length} of ${active.length}`
}
