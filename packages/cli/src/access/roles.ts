import { coreResources, roleKeys } from '@pergola/api'
import type { CommandContext } from '../command-context.ts'
import { allOf } from '../server/all-of.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { fittedTable } from '../terminal/fitted-table.ts'
import { visible } from '../terminal/visible.ts'

export interface RoleListOptions extends ServerOptions {
  readonly output: Output
  readonly all?: boolean
}

/** Lists roles with their display names; marks role templates. */
export async function listRoles(
  context: CommandContext,
  { output, all = false, ...options }: RoleListOptions,
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const found = await attempting({ verb: 'list', resource: 'roles' }, () =>
    allOf(client.resource(coreResources.roles).listAll({ sort: 'metadata.name' })),
  )
  const isShown = (labels: Readonly<Record<string, string>> = {}) => all || labels[roleKeys.hidden] !== 'true'
  const shown = found.filter(({ metadata }) => isShown(metadata.labels))
  if (output === 'json') return printJson(terminal, { items: shown })
  if (output === 'name') return terminal.print(shown.map(({ metadata }) => metadata.name))
  const rows = shown.map(({ metadata: { name, labels = {}, annotations = {} } }) => [
    visible(name),
    visible(annotations[roleKeys.displayName] ?? ''),
    visible(annotations[roleKeys.module] ?? ''),
    labels[roleKeys.template] === 'true' ? 'template' : '',
  ])
  await terminal.print(fittedTable(terminal, { heads: ['NAME', 'CALLED', 'MODULE', 'KIND'], rows }))
  await terminal.hint('pergola grant <user> <role>')
}
