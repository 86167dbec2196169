import { ApiError } from '@pergola/api'
import type { Administrator } from '../base/administrator.ts'
import type { Clock } from '../base/clock.ts'
import type { Passwords } from '../credentials/passwords.ts'
import { endSetupSecrets } from '../credentials/setup-secrets.ts'
import { createOperation } from '../models/create.ts'
import type { Model } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import type { Store } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import { afterOthers } from './access-order.ts'
import { bindingsWhere, superAdministrator } from './administrators.ts'
import { isManaged } from './managed-binding.ts'
import { roleOfBinding } from './role-binding-model.ts'

/** Of the binding that makes the first administrator: there can be one of that name. */
const firstBinding = 'first-administrator'

export interface FirstAdministratorParts {
  readonly store: Store
  readonly clock: Clock
  readonly users: Model
  readonly bindings: Model
  readonly passwords: Passwords
}

/** Whether nobody is super administrator yet; whom a provider makes one for a while is not counted. */
export async function needsSetup({ store, bindings }: FirstAdministratorParts): Promise<boolean> {
  for await (const binding of bindingsWhere({ store, bindings }, roleOfBinding, superAdministrator)) {
    if (!isManaged(fromData(binding.data))) return false
  }
  return true
}

/** User, password and binding at once; of several who try, one does it. */
export async function createFirstAdministrator(
  parts: FirstAdministratorParts,
  administrator: Administrator,
): Promise<void> {
  const { store, users, bindings, passwords } = parts
  const { username, password } = administrator
  const user = await createOperation(parts, users, { metadata: { name: username }, spec: { disabled: false } })
  const binding = await createOperation(parts, bindings, {
    metadata: { name: firstBinding },
    roleRef: { apiGroup: '', kind: 'Role', name: superAdministrator },
    subjects: [{ apiGroup: '', kind: 'User', name: username }],
  })
  const also = [await passwords.set(user.uid, password), endSetupSecrets]
  try {
    await store.write([user, binding], { guards: [afterOthers], also })
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error
    throw new ApiError('AlreadyExists', 'there is a super administrator already, or a user of that name', {
      cause: error,
    })
  }
}
