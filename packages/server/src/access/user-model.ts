import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import { revoked } from '../credentials/revocations.ts'
import { createBuiltInModel } from '../models/definition/built-in-model.ts'
import type { ModelDefinition } from '../models/definition/definition.ts'
import { indexedObject } from '../models/indexed-object.ts'
import type { Accompaniment, Model, ObjectChange } from '../models/model.ts'
import { fromData, toData } from '../models/object-bytes.ts'
import { deleteIdentities } from '../store/records/identities.ts'
import { deletePassword } from '../store/records/passwords.ts'
import { isRetired, notRetired, retireName } from '../store/records/retired-names.ts'
import { deleteSessions } from '../store/records/sessions.ts'
import { deleteTokenDigests } from '../store/records/token-digests.ts'
import type { Guard, SqlStatement, Store, StoredObject, WriteOperation } from '../store/store.ts'
import { accessKeys } from './access-keys.ts'
import { accessAsRead } from './access-order.ts'
import { bindingsWhere, remainingAdministrator, superAdministrator } from './administrators.ts'
import { roleIn, subjectOfBinding } from './role-binding-model.ts'
import { removeTokens } from './end-tokens.ts'
import { isDisabled } from './user-spec.ts'
import { isManaged } from './managed-binding.ts'
import type { Rights } from './rights.ts'
import { assertPowerOver } from './escalation.ts'

const definition: ModelDefinition = {
  ...accessKeys.users,
  version: 'v1alpha1',
  kind: 'User',
  singular: 'user',
  schema: {
    properties: {
      spec: {
        type: 'object',
        default: {},
        properties: {
          displayName: { type: 'string', minLength: 1, maxLength: 200 },
          email: { type: 'string', format: 'email', maxLength: 320 },
          disabled: { type: 'boolean', default: false },
        },
      },
    },
  },
  indexes: [{ name: 'spec.email' }, { name: 'spec.displayName' }, { name: 'spec.disabled' }],
}

export interface UserParts {
  readonly store: Store
  readonly rights: Pick<Rights, 'asIn'>
  readonly clock: Clock
  /** Models that refer to users. */
  readonly bindings: Model
  readonly tokens: Model
}

export function createUserModel(parts: UserParts): Model {
  return createBuiltInModel(definition, {
    rules: {
      accompany: async (change, { caller, store: inBatch }) => {
        const reading = inBatch ? { ...parts, store: inBatch } : parts
        if (!endsOrReturns(change)) return accompany(reading, change)
        const order = await accessAsRead(reading.store)
        if (caller) await assertPowerOver(parts.rights.asIn(inBatch), caller, change.name)
        const { guards = [], ...others } = await accompany(reading, change)
        return { ...others, guards: [order, ...guards] }
      },
    },
  })
}

async function accompany(parts: UserParts, change: ObjectChange): Promise<Accompaniment> {
  const { before, after } = change
  if (!before) return { guards: [await neverUsed(parts, change.name)] }
  if (!after) return { ...(await withoutUser(parts, change)) }
  if (isDisabled(before) || !isDisabled(after)) return {}
  const guards = await staysAdministered(parts.store, change.name)
  const tokens = await removeTokens(parts.store, parts.tokens, change.name)
  return { operations: [...tokens, revoked(parts.clock, change.uid)], guards, also: ended(change.uid) }
}

function endsOrReturns({ before, after }: ObjectChange): boolean {
  return before !== undefined && (after === undefined || isDisabled(before) !== isDisabled(after))
}

/** Names of deleted users are never reused: links, logs and habits may still refer to the old user. */
export async function neverUsed({ store }: Pick<UserParts, 'store'>, name: string): Promise<Guard> {
  if (await isRetired(store, name)) {
    throw new ApiError('AlreadyExists', `the name "${name}" belonged to a user that was deleted; choose another one`, {
      params: { name },
    })
  }
  return notRetired(name)
}

/** Removes the user from every binding and deletes all its credentials in the transaction that deletes the user. */
async function withoutUser(parts: UserParts, { name, uid }: ObjectChange): Promise<Accompaniment> {
  const { store, bindings } = parts
  const operations: WriteOperation[] = []
  for await (const binding of bindingsWhere(store, subjectOfBinding, name)) {
    operations.push(withoutSubject(bindings, binding, name))
  }
  operations.push(...(await removeTokens(store, parts.tokens, name)))
  const where = { field: subjectOfBinding, is: { op: '=' as const, value: name } }
  const guards = await staysAdministered(store, name)
  operations.push(revoked(parts.clock, uid))
  // A disabled user keeps its password and identities: without them, it could sign in again as a new user.
  const also = [retireName(name), deletePassword(uid), deleteIdentities(uid), ...ended(uid)]
  return { operations, guards: [...guards, { is: 'none', model: bindings, where }], also }
}

function withoutSubject(bindings: Model, stored: StoredObject, user: string): WriteOperation {
  const binding = fromData(stored.data)
  const { name, uid, version } = stored
  const all = binding['subjects'] as readonly { readonly name: string }[]
  const subjects = all.filter((subject) => subject.name !== user)
  const target = { model: bindings, name, expected: { uid, version } }
  const held = (binding.metadata.finalizers ?? []).length > 0
  // Deleting a binding with finalizers would keep it, and the user's name in it, so it is updated to have no subjects instead.
  if (subjects.length === 0 && !held) return { type: 'delete', ...target }
  const object = { ...binding, subjects }
  const { indexed } = indexedObject(bindings, object)
  const content = { data: toData(object), storedAs: bindings.version, held, indexed, edition: bindings.edition }
  return { type: 'update', ...target, content, newGeneration: true }
}

/** Guards needed only if the user is super administrator through a binding that does not expire. */
async function staysAdministered(store: Store, name: string): Promise<readonly Guard[]> {
  for await (const binding of bindingsWhere(store, subjectOfBinding, name)) {
    const object = fromData(binding.data)
    if (isManaged(object) || roleIn(object) !== superAdministrator) continue
    return remainingAdministrator(store, ({ user }) => user === name)
  }
  return []
}

/** Deletes all sessions and tokens of a user; a revocation in the same write tells every replica. */
function ended(uid: string): readonly SqlStatement[] {
  return [deleteSessions(uid), deleteTokenDigests(uid)]
}
