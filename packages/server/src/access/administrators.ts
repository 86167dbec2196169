import { ApiError } from '@pergola/api'
import { fromData } from '../models/object-bytes.ts'
import { allObjects } from '../store/all-objects.ts'
import type { Guard, ModelKey, Store, StoredObject } from '../store/store.ts'
import { isManaged } from './managed-binding.ts'
import { canSignIn } from './user-spec.ts'

export const superAdministrator = 'super-administrator'

export interface AdministratorParts {
  readonly store: Store
  readonly bindings: ModelKey
  readonly users: ModelKey
}

interface Held {
  readonly binding: string
  readonly user: string
}

/**
 * Guards that ensure that one super administrator remains, even if others lose the role concurrently: one user and one binding,
 * as they were read. Throws when none would remain. Managed bindings do not count, because they expire.
 */
export async function remainingAdministrator(
  parts: AdministratorParts,
  isLost: (held: Held) => boolean,
): Promise<readonly Guard[]> {
  const { store, bindings, users } = parts
  for await (const binding of livingBindingsWhere(parts, 'roleRef.name', superAdministrator)) {
    if (isManaged(fromData(binding.data))) continue
    const staying = subjectsOf(binding).filter(({ name: user }) => !isLost({ binding: binding.name, user }))
    const able = await ableUser({ store, users }, staying)
    if (able) return [asRead(bindings, binding), able]
  }
  throw new ApiError('InUse', 'this would remove the last super administrator; bind the role to another user first')
}

/** A guard on the first of the users who can sign in: it fails when that user changes. */
export async function ableUser(
  { store, users }: Pick<AdministratorParts, 'store' | 'users'>,
  subjects: readonly { readonly name: string }[],
): Promise<Guard | undefined> {
  for (const { name } of subjects) {
    const user = await store.get(users, name)
    if (user && canSignIn(user)) return asRead(users, user)
  }
  return undefined
}

function asRead(model: ModelKey, { name, uid, version }: StoredObject): Guard {
  return { is: 'there', model, name, expected: { uid, version } }
}

/** Bindings that grant something: those that are not declared deleted. */
export async function* livingBindingsWhere(
  parts: Pick<AdministratorParts, 'store' | 'bindings'>,
  field: string,
  value: string,
): AsyncGenerator<StoredObject> {
  for await (const binding of bindingsWhere(parts, field, value)) if (binding.deletedAt === undefined) yield binding
}

export function bindingsWhere(
  { store, bindings }: Pick<AdministratorParts, 'store' | 'bindings'>,
  field: string,
  value: string,
): AsyncGenerator<StoredObject> {
  return allObjects(store, bindings, [{ field, is: { op: '=', value } }])
}

function subjectsOf({ data }: StoredObject): readonly { readonly name: string }[] {
  return fromData(data)['subjects'] as readonly { name: string }[]
}
