import { ApiError } from '@pergola/api'
import { fromData } from '../models/object-bytes.ts'
import type { Cursor, Guard, ModelKey, Store, StoredObject } from '../store/store.ts'
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
 * Guards that hold while somebody stays a super administrator, whoever else loses it at the same moment: one user and one
 * binding, as they were read. Throws when nobody would stay.
 */
export async function remainingAdministrator(
  parts: AdministratorParts,
  isLost: (held: Held) => boolean,
): Promise<readonly Guard[]> {
  const { store, bindings, users } = parts
  for await (const binding of bindingsWhere(parts, 'roleRef.name', superAdministrator)) {
    const staying = subjectsOf(binding).filter(({ name: user }) => !isLost({ binding: binding.name, user }))
    const able = await ableUser({ store, users }, staying)
    if (able) return [asRead(bindings, binding), able]
  }
  throw new ApiError('InUse', 'nobody would be super administrator any more; give the role to somebody else first')
}

/** The first of the users who can sign in, as a guard that this stays so. */
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

/** Page by page. */
export async function* bindingsWhere(
  { store, bindings }: Pick<AdministratorParts, 'store' | 'bindings'>,
  field: string,
  value: string,
): AsyncGenerator<StoredObject> {
  const query = { where: [{ field, is: { op: '=' as const, value } }], limit: 100, total: 'none' as const }
  for (let after: Cursor | undefined; ;) {
    const page = await store.list(bindings, { ...query, ...(after !== undefined && { after }) })
    yield* page.items
    after = page.next
    if (after === undefined) return
  }
}

function subjectsOf({ data }: StoredObject): readonly { readonly name: string }[] {
  return fromData(data)['subjects'] as readonly { name: string }[]
}
