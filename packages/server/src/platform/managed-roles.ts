import type { Clock } from '../base/clock.ts'
import { createOperation } from '../models/create.ts'
import { indexedObject } from '../models/indexed-object.ts'
import type { Model } from '../models/model.ts'
import { fromData, toData } from '../models/object-bytes.ts'
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
  readonly signedInAt: number
}

/** What makes a user's bindings by an issuer those that it gives now, all others of that issuer being removed. */
export async function replaceManagedRoles(
  parts: ManagedRolesParts,
  given: GivenRoles,
): Promise<{ readonly operations: readonly WriteOperation[]; readonly guards: readonly Guard[] }> {
  const { issuer, user, roles, signedInAt } = given
  const stored = new Map((await managedBindings(parts, given)).map((binding) => [binding.name, binding]))
  const operations: WriteOperation[] = []
  for (const role of roles) {
    const binding = managedBinding({ issuer, user, role, signedInAt })
    const before = stored.get(binding.metadata.name)
    stored.delete(binding.metadata.name)
    operations.push(
      before ? renewed(parts.bindings, before, binding) : await createOperation(parts, parts.bindings, binding),
    )
  }
  operations.push(...[...stored.values()].map((binding) => removed(parts.bindings, binding)))
  const guards = roles.map((name) => ({ is: 'there' as const, model: parts.roles, name }))
  return { operations, guards }
}

/** Removes what an issuer has given to a user. */
export async function removeManagedRoles(
  parts: Pick<ManagedRolesParts, 'store' | 'bindings'>,
  of: Pick<GivenRoles, 'issuer' | 'user'>,
): Promise<readonly WriteOperation[]> {
  return (await managedBindings(parts, of)).map((binding) => removed(parts.bindings, binding))
}

async function managedBindings(
  { store, bindings }: Pick<ManagedRolesParts, 'store' | 'bindings'>,
  { issuer, user }: Pick<GivenRoles, 'issuer' | 'user'>,
): Promise<readonly StoredObject[]> {
  const found: StoredObject[] = []
  for await (const binding of bindingsWhere({ store, bindings }, subjectOfBinding, user.name)) {
    if (issuerOf(fromData(binding.data)) === issuer) found.push(binding)
  }
  return found
}

function renewed(
  bindings: Model,
  { name, uid, version }: StoredObject,
  binding: ReturnType<typeof managedBinding>,
): WriteOperation {
  const { indexed } = indexedObject(bindings, binding)
  const content = { data: toData(binding), storedAs: bindings.version, held: false, indexed, edition: bindings.edition }
  return { type: 'update', model: bindings, name, expected: { uid, version }, content, newGeneration: false }
}

function removed(bindings: Model, { name, uid, version }: StoredObject): WriteOperation {
  return { type: 'delete', model: bindings, name, expected: { uid, version } }
}
