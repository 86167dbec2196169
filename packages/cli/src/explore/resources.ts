import { verbs as allVerbs } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { fullName, shortestName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { readResources } from '../server/resources.ts'
import { usedWrongly } from '../terminal/command-fault.ts'
import { fittedTable } from '../terminal/fitted-table.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'

/** Requests per access review; the server's limit. */
const mostReviewed = 100

export interface ResourcesOptions extends ServerOptions {
  readonly output: Output
  readonly group?: string
}

/** Lists the resources of a server, by group, with the verbs that the caller may use. */
export async function listResources(context: CommandContext, options: ResourcesOptions): Promise<void> {
  const { terminal } = context
  const { output, group } = options
  const { client } = await connect(context, options)
  const known = await attempting({ verb: 'get', resource: '/apis' }, () => readResources(client))
  const shown = known.filter((one) => group === undefined || one.group === group).toSorted(byGroup)
  if (shown.length === 0 && group !== undefined) {
    const groups = [...new Set(known.map((one) => one.group || '""'))].toSorted().join(', ')
    throw usedWrongly(`there is no resource in the group "${group}"; there are ${groups}`)
  }
  if (output === 'name') return terminal.print(shown.map(fullName))
  const mayUse = await attempting({ verb: 'create', resource: 'accessreviews.api.platform.run' }, () =>
    usableVerbs(client, shown),
  )
  if (output === 'json') {
    const items = shown.map((one) =>
      Object.assign({ name: shortestName(known, one), mayUse: mayUse.get(fullName(one)) ?? [] }, one),
    )
    return printJson(terminal, { items })
  }
  const rows = shown.map((one) => [
    shortestName(known, one),
    one.singular,
    one.group,
    one.kind,
    verbWords(one, mayUse.get(fullName(one)) ?? []),
  ])
  const heads = ['NAME', 'SINGULAR', 'GROUP', 'KIND', 'YOU MAY']
  await terminal.print(fittedTable(terminal, { heads, rows, leastWorthy: [3, 1] }))
  await terminal.hint('pergola explain <name>')
}

function byGroup(one: KnownResource, other: KnownResource): number {
  return one.group.localeCompare(other.group) || one.plural.localeCompare(other.plural)
}

/** Asks the server about every verb of every resource, because roles may allow some objects only. */
async function usableVerbs(
  client: Pick<Client, 'call'>,
  resources: readonly KnownResource[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = resources.flatMap((one) =>
    (one.verbs ?? allVerbs).map((verb) => ({ verb, group: one.group, resource: one.plural })),
  )
  const chunks = Array.from({ length: Math.ceil(asked.length / mostReviewed) }, (_, at) =>
    asked.slice(at * mostReviewed, (at + 1) * mostReviewed),
  )
  const answers = await Promise.all(
    chunks.map(async (requests) => {
      const path = '/apis/api.platform.run/v1alpha1/accessreviews'
      const answer = await client.call({ method: 'POST', path, body: { requests }, isIdempotent: true })
      return (answer as { readonly items: readonly { readonly allowed: boolean }[] }).items
    }),
  )
  const allowed = answers.flat()
  const usable = asked.filter((_, at) => allowed[at]?.allowed)
  const byResource = Map.groupBy(usable, ({ group, resource }) => fullName({ group, plural: resource }))
  return new Map([...byResource].map(([name, found]) => [name, found.map(({ verb }) => verb)]))
}

function verbWords({ verbs = [] }: KnownResource, usable: readonly string[]): string {
  if (usable.length === 0) return 'nothing'
  return usable.length === verbs.length ? 'everything' : usable.join(' ')
}
