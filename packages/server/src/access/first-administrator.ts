import { ApiError } from '@pergola/api'
import type { Administrator } from '../config/administrator.ts'
import type { Clock } from '../base/clock.ts'
import type { Passwords } from '../credentials/passwords.ts'
import { createOperation } from '../models/verbs/create.ts'
import type { Model } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import { deleteSetupSecrets } from '../store/records/setup-secrets.ts'
import type { Store } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import { afterOthers } from './access-order.ts'
import { bindingsWhere, superAdministrator } from './administrators.ts'
import { isManaged } from './managed-binding.ts'
import { roleOfBinding } from './role-binding-model.ts'

/** The name of the first administrator's binding. Names are unique, so only one such binding can exist. */
const firstBinding = 'first-administrator'

export interface FirstAdministratorParts {
  readonly store: Store
  readonly clock: Clock
  readonly users: Model
  readonly bindings: Model
  readonly passwords: Passwords
}

/** Whether no super administrator exists yet. Managed bindings do not count: they expire. */
export async function needsSetup({ store }: Pick<FirstAdministratorParts, 'store'>): Promise<boolean> {
  for await (const binding of bindingsWhere(store, roleOfBinding, superAdministrator)) {
    if (!isManaged(fromData(binding.data))) return false
  }
  return true
}

/** Creates user, password and binding in one transaction; of several concurrent attempts one succeeds. */
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
  const also = [(await passwords.set(user.uid, password)).write, deleteSetupSecrets()]
  try {
    await store.write([user, binding], { guards: [afterOthers], also })
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error
    throw new ApiError('AlreadyExists', 'there is a super administrator already, or a user of that name', {
      cause: error,
    })
  }
}
