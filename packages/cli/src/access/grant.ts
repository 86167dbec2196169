import { contentRoles, coreResources, isApiError, type ApiError, type RoleBinding } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { allOf } from '../server/all-of.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { CommandFault } from '../terminal/command-fault.ts'
import { visible } from '../terminal/visible.ts'

export interface GrantOptions extends ServerOptions {
  readonly plan?: boolean
}

export interface Grant {
  readonly user: string
  readonly role: string
}

/** Grants the role with a separate role binding named `<user>-<role>`. */
export async function grant(context: CommandContext, given: Grant, options: GrantOptions): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const name = `${given.user}-${given.role}`
  const dryRun = options.plan ?? false
  const outcome = await attempting({ verb: 'create', resource: 'rolebindings', name }, () =>
    bind(client, { ...given, name, dryRun }),
  )
  await terminal.print([
    `  rolebinding ${name} ${outcome}`,
    ...(await emptyRoleWords(client, given.role)),
    dryRun
      ? '  a plan, nothing has been changed'
      : `  next      pergola can-i <verb> <resource> --as ${given.user}; to take it back: pergola revoke ${given.user} ${given.role}`,
  ])
}

/** Some built-in roles grant nothing until a plugin adds their rules. */
async function emptyRoleWords(client: Client, role: string): Promise<readonly string[]> {
  if (!contentRoles.includes(role)) return []
  const plugin = await client
    .resource(coreResources.plugins)
    .get('content')
    .catch(() => undefined)
  if (plugin?.spec.enabled === true) return []
  return [`  note      the rights of ${role} come with the plugin content: pergola plugin enable content`]
}

interface Binding extends Grant {
  readonly name: string
  readonly dryRun: boolean
}

async function bind(client: Client, { user, role, name, dryRun }: Binding): Promise<string> {
  const bindings = client.resource(coreResources.roleBindings)
  const binding = { metadata: { name }, roleRef: { name: role }, subjects: [{ name: user }] }
  try {
    await bindings.create(binding, { dryRun })
    return dryRun ? 'would be created' : 'created'
  } catch (error) {
    if (isApiError(error) && error.reason === 'Invalid') throw unknownName(error, user)
    if (!isApiError(error) || error.reason !== 'AlreadyExists') throw error
  }
  const stored = await bindings.get(name)
  if (stored.roleRef.name !== role) {
    throw new CommandFault(`rolebinding ${name} already exists and grants ${stored.roleRef.name}`, {
      next: `pergola get rolebinding ${name}`,
    })
  }
  if (stored.subjects.some((subject) => subject.name === user)) return `unchanged: ${user} holds ${role} by it`
  const subjects = [...stored.subjects, { name: user }]
  await bindings.update({ ...stored, subjects }, { dryRun })
  return dryRun ? 'would be changed' : 'changed'
}

function unknownName(error: ApiError, user: string): Error {
  const [fault] = error.errors ?? []
  if (fault?.field === 'roleRef.name') return new CommandFault(visible(fault.message), { next: 'pergola role list' })
  if (!fault?.field.startsWith('subjects')) return error
  return new CommandFault(visible(fault.message), { next: `pergola user add ${user}, or pergola user list` })
}

/** Removes the user from every role binding that grants the role, and deletes bindings left without subjects. */
export async function revoke(context: CommandContext, { user, role }: Grant, options: GrantOptions): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const bindings = client.resource(coreResources.roleBindings)
  const dryRun = options.plan ?? false
  const found = await attempting({ verb: 'list', resource: 'rolebindings' }, () =>
    allOf(
      bindings.listAll({
        fieldSelector: [
          { key: 'roleRef.name', op: '=', value: role },
          { key: 'subjects.name', op: '=', value: user },
        ],
      }),
    ),
  )
  if (found.length === 0) {
    throw new CommandFault(`no rolebinding grants ${role} to ${user}`, {
      next: `pergola list rolebindings --where subjects.name=${user}`,
    })
  }
  for (const binding of found) {
    const { name } = binding.metadata
    const left = binding.subjects.filter((subject) => subject.name !== user)
    const verb = left.length === 0 ? 'delete' : 'update'
    await attempting({ verb, resource: 'rolebindings', name }, () => takeOut(client, { binding, left, dryRun }))
    const words = `${dryRun ? 'would be ' : ''}${left.length === 0 ? 'deleted' : 'changed'}`
    await terminal.print([`  rolebinding ${name} ${words}`])
  }
  await terminal.print([
    dryRun
      ? '  a plan, nothing has been changed'
      : `  next      pergola can-i <verb> <resource> --as ${user}; to give it back: pergola grant ${user} ${role}`,
  ])
}

interface Leaving {
  readonly binding: RoleBinding
  readonly left: RoleBinding['subjects']
  readonly dryRun: boolean
}

async function takeOut(client: Client, { binding, left, dryRun }: Leaving): Promise<void> {
  const bindings = client.resource(coreResources.roleBindings)
  if (left.length > 0) await bindings.update({ ...binding, subjects: left }, { dryRun })
  else await bindings.delete(binding.metadata.name, { dryRun })
}
