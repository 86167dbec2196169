import type { Clock } from '../base/clock.ts'
import { createTurns } from '../base/turns.ts'
import type { Model } from '../models/model.ts'
import type { Store } from '../store/store.ts'
import type { Rights } from './rights.ts'
import { createRoleBindingModel } from './role-binding-model.ts'
import { createRoleModel } from './role-model.ts'
import { createTokenModel } from './token-model.ts'
import { createUserModel } from './user-model.ts'

/** The models of access. */
export interface AccessModels {
  readonly roles: Model
  readonly bindings: Model
  readonly users: Model
  readonly tokens: Model
}

/** Maximum number of role and binding writes waiting in this replica. */
const mostWaiting = 1_000

export interface AccessModelParts {
  readonly store: Store
  readonly clock: Clock
  readonly rights: Pick<Rights, 'asIn'>
}

export function createAccessModels({ store, clock, rights }: AccessModelParts): AccessModels {
  const { run: inTurn } = createTurns({ atATime: 1, mostWaiting })
  const roles = createRoleModel({ store, rights, inTurn })
  const bindings = createRoleBindingModel({ store, rights, inTurn })
  const tokens = createTokenModel({ store, clock })
  const users = createUserModel({ store, clock, rights, bindings, tokens })
  return { roles, bindings, users, tokens }
}
