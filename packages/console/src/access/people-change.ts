import { coreResources, type Role, type RoleBinding } from '@pergola/api'
import { client } from '../server/client.ts'
import { rightsChange, rulesOfRoles, type Plurals, type RightsChange } from './rights-change.ts'
import { rolesThrough } from './role-words.ts'

/** Roles before and after a change of the role `name`. */
export interface RoleEdit {
  readonly name: string
  readonly before: readonly Role[]
  readonly after: readonly Role[]
  readonly models: Plurals
}

/** People whose rights change in the same way; the change is empty if other roles give the same rights. */
interface ChangedPeople {
  readonly users: readonly string[]
  readonly change: RightsChange
}

export interface PeopleChange {
  readonly groups: readonly ChangedPeople[]
  /** More users hold the role than were compared. */
  readonly isPart: boolean
}

const mostUsers = 500
/** Names in one selector, which travels in the URL. */
const atOnce = 100
const heldByAll = ['anonymous', 'authenticated']

/** The role through which everybody has the rights of the role, without a binding. */
export function heldByEverybody({ name, before }: RoleEdit): string | undefined {
  const through = rolesThrough(name, before)
  return heldByAll.find((one) => through.includes(one))
}

export function changeForAll({ before, after, models }: RoleEdit): RightsChange {
  return rightsChange(rulesOfRoles(heldByAll, before), rulesOfRoles(heldByAll, after), models)
}

/** Who gains and who loses what. A right that another role also gives is neither gained nor lost. */
export async function peopleChange(edit: RoleEdit, signal: AbortSignal): Promise<PeopleChange> {
  const bound = new Set<string>()
  for await (const { subjects } of bindingsWith('roleRef.name', rolesThrough(edit.name, edit.before), signal)) {
    for (const { name } of subjects) bound.add(name)
    if (bound.size > mostUsers) break
  }
  const users = [...bound].slice(0, mostUsers)
  const rolesOf = new Map(users.map((user) => [user, new Set(heldByAll)]))
  for await (const { roleRef, subjects } of bindingsWith('subjects.name', users, signal)) {
    for (const { name } of subjects) rolesOf.get(name)?.add(roleRef.name)
  }
  return { groups: grouped(rolesOf, edit), isPart: bound.size > mostUsers }
}

async function* bindingsWith(
  key: 'roleRef.name' | 'subjects.name',
  values: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<RoleBinding> {
  for (let from = 0; from < values.length; from += atOnce) {
    const fieldSelector = [{ key, op: 'in' as const, values: values.slice(from, from + atOnce) }]
    yield* client.resource(coreResources.roleBindings).listAll({ fieldSelector }, { signal })
  }
}

function grouped(
  rolesOf: ReadonlyMap<string, ReadonlySet<string>>,
  { before, after, models }: RoleEdit,
): readonly ChangedPeople[] {
  const changes = new Map<string, string>()
  const changeOf = (roles: ReadonlySet<string>) => {
    const names = [...roles].toSorted()
    const key = names.join(' ')
    const known = changes.get(key)
    if (known !== undefined) return known
    const change = rightsChange(rulesOfRoles(names, before), rulesOfRoles(names, after), models)
    const text = JSON.stringify(change)
    changes.set(key, text)
    return text
  }
  const groups = Map.groupBy([...rolesOf.keys()].toSorted(), (user) => changeOf(rolesOf.get(user) ?? new Set()))
  return [...groups].map(([change, users]) => ({ users, change: JSON.parse(change) as RightsChange }))
}
