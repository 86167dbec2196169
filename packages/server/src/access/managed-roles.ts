import type { Clock } from '../base/clock.ts'
import { createOperation } from '../models/verbs/create.ts'
import type { Model } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import type { Guard, ModelKey, Store, StoredObject, WriteOperation } from '../store/store.ts'
import { bindingsWhere } from './administrators.ts'
import { issuerOf, managedBinding } from './managed-binding.ts'
import { subjectOfBinding } from './role-binding-model.ts'

export interface ManagedRolesParts {
  readonly store: Store
  readonly clock: Clock
  readonly roles: ModelKey
  readonly bindings: Model
}

export interface GivenRoles {
  readonly issuer: string
  readonly user: { readonly uid: string; readonly name: string }
  readonly roles: readonly string[]
}

/**
 * The operations that make a user's managed bindings match the roles that the issuer gives now; none when they already match.
 */
export async function replaceManagedRoles(
  parts: ManagedRolesParts,
  given: GivenRoles,
): Promise<{ readonly operations: readonly WriteOperation[]; readonly guards: readonly Guard[] }> {
  const { issuer, user, roles } = given
  const stored = new Map((await managedBindings(parts, given)).map((binding) => [binding.name, binding]))
  const operations: WriteOperation[] = []
  const guards: Guard[] = roles.map((name) => ({ is: 'there', model: parts.roles, name }))
  for (const role of roles) {
    const binding = managedBinding({ issuer, user, role })
    const before = stored.get(binding.metadata.name)
    stored.delete(binding.metadata.name)
    // An unchanged binding is not written; the guard detects a concurrent removal.
    if (before) guards.push({ is: 'there', model: parts.bindings, ...asRead(before) })
    else operations.push(await createOperation(parts, parts.bindings, binding))
  }
  operations.push(...[...stored.values()].map((binding) => removed(parts.bindings, binding)))
  return { operations, guards }
}

/** Operations that remove the bindings which an issuer gave to a user. */
export async function removeManagedRoles(
  parts: Pick<ManagedRolesParts, 'store' | 'bindings'>,
  of: Pick<GivenRoles, 'issuer' | 'user'>,
): Promise<readonly WriteOperation[]> {
  return (await managedBindings(parts, of)).map((binding) => removed(parts.bindings, binding))
}

async function managedBindings(
  { store }: Pick<ManagedRolesParts, 'store'>,
  { issuer, user }: Pick<GivenRoles, 'issuer' | 'user'>,
): Promise<readonly StoredObject[]> {
  const found: StoredObject[] = []
  for await (const binding of bindingsWhere(store, subjectOfBinding, user.name)) {
    if (issuerOf(fromData(binding.data)) === issuer) found.push(binding)
  }
  return found
}

function removed(bindings: Model, binding: StoredObject): WriteOperation {
  return { type: 'delete', model: bindings, ...asRead(binding) }
}

function asRead({ name, uid, version }: StoredObject) {
  return { name, expected: { uid, version } }
}
