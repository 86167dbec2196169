import { ApiError, type FieldError } from '@pergola/api'
import { createBuiltInModel } from '../models/definition/built-in-model.ts'
import type { ModelDefinition } from '../models/definition/definition.ts'
import type { JsonObject } from '../models/object.ts'
import type { Model, ModelIndex, ObjectChange, WriteContext } from '../models/model.ts'
import type { Guard, Store } from '../store/store.ts'
import { fieldError } from '../call/field-error.ts'
import { accessKeys } from './access-keys.ts'
import { accessAsRead } from './access-order.ts'
import { ableUser, remainingAdministrator, superAdministrator } from './administrators.ts'
import type { Caller } from '../call/call.ts'
import { isManaged, refuseManaged } from './managed-binding.ts'
import type { InTurn, Rights, StoredRights } from './rights.ts'
import { assertCovers, mayHandOutAnything, rulesOf } from './escalation.ts'

const nameOf = (en: string, zh: string, as?: 'person') => ({
  type: 'string',
  minLength: 1,
  maxLength: 253,
  'x-display': { label: { en, zh }, ...(as && { as }) },
})
const coreGroup = { const: '', default: '' }

const definition: ModelDefinition = {
  ...accessKeys.bindings,
  version: 'v1alpha1',
  kind: 'RoleBinding',
  singular: 'rolebinding',
  schema: {
    required: ['roleRef', 'subjects'],
    properties: {
      roleRef: {
        type: 'object',
        required: ['name'],
        properties: { apiGroup: coreGroup, kind: { const: 'Role', default: 'Role' }, name: nameOf('Role', '角色') },
      },
      subjects: {
        type: 'array',
        minItems: 1,
        maxItems: 256,
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            apiGroup: coreGroup,
            kind: { const: 'User', default: 'User' },
            name: nameOf('Users', '用户', 'person'),
          },
        },
      },
    },
  },
}

export const roleOfBinding = 'roleRef.name'
export const subjectOfBinding = 'subjects.name'

const index = { type: 'string', unique: false, descending: false, ofStatus: false } as const
const ownIndexes: readonly ModelIndex[] = [
  {
    ...index,
    name: roleOfBinding,
    form: roleOfBinding,
    multi: false,
    valuesOf: (object) => [{ pointer: '/roleRef/name', value: roleIn(object) }],
  },
  {
    ...index,
    name: subjectOfBinding,
    form: subjectOfBinding,
    multi: true,
    valuesOf: (object) => usersIn(object).map((value, at) => ({ pointer: `/subjects/${at}/name`, value })),
  },
]

export function roleIn(binding: JsonObject): string {
  return (binding['roleRef'] as { name: string }).name
}

/** The users to whom a binding gives its role. */
function usersIn(binding: JsonObject): readonly string[] {
  return (binding['subjects'] as readonly { name: string }[]).map((subject) => subject.name)
}

export interface RoleBindingParts {
  readonly store: Store
  readonly rights: Pick<Rights, 'asIn'>
  readonly inTurn: InTurn
}

export function createRoleBindingModel(parts: RoleBindingParts): Model {
  return createBuiltInModel(definition, {
    ownIndexes,
    rules: {
      inTurn: parts.inTurn,
      check: (binding, context) => check(parts, binding, context),
      accompany: async (change, { caller, store: inBatch }) => {
        const store = inBatch ?? parts.store
        const order = await accessAsRead(store)
        if (caller) {
          refuseManaged(change)
          await assertHeld(parts.rights.asIn(inBatch), change, caller)
        }
        return { guards: [order, ...(await guardsOf(store, change))] }
      },
    },
  })
}

function missingError(pointer: string, kind: string, missing: string): FieldError {
  const params = { fault: 'missing', kind, name: missing } as const
  return fieldError(pointer, 'exists', { message: `there is no ${kind} "${missing}"`, params })
}

async function check(
  parts: RoleBindingParts,
  binding: JsonObject,
  { stored, store = parts.store }: WriteContext,
): Promise<readonly FieldError[]> {
  const role = roleIn(binding)
  if (stored && roleIn(stored) !== role) {
    const message = `is "${roleIn(stored)}" and cannot be changed; create another binding for the other role`
    return [fieldError('/roleRef/name', 'immutable', { message, params: { stored: roleIn(stored) } })]
  }
  const errors: FieldError[] = []
  if (!(await store.get(accessKeys.roles, role))) errors.push(missingError('/roleRef/name', 'role', role))
  const before = new Set(stored ? usersIn(stored) : [])
  const missing = await Promise.all(
    usersIn(binding).map(async (user, at) => {
      if (before.has(user) || (await store.get(accessKeys.users, user))) return []
      return [missingError(`/subjects/${at}/name`, 'user', user)]
    }),
  )
  return [...errors, ...missing.flat()]
}

/** Throws unless the caller holds all rights that the new subjects gain. */
async function assertHeld(
  rights: StoredRights,
  { name: binding, before, after }: ObjectChange,
  caller: Caller,
): Promise<void> {
  const had = before ? usersIn(before) : []
  const known = new Set(had)
  if (!after || usersIn(after).every((user) => known.has(user))) return
  const held = await rights.readCaller(caller)
  if (mayHandOutAnything(held)) return
  const book = await rights.readBook()
  assertCovers(held, rulesOf(book.hold([{ name: roleIn(after) }])), `rolebinding "${binding}"`)
}

/** Makes a concurrent deletion of the role or a user wait for this write, and then find the binding. */
async function guardsOf(store: Store, { name: binding, before, after }: ObjectChange): Promise<readonly Guard[]> {
  const { roles, users } = accessKeys
  const had = before ? usersIn(before) : []
  const has = after ? usersIn(after) : []
  const known = new Set(had)
  const gained = [...new Set(has)].filter((user) => !known.has(user))
  const guards: Guard[] = gained.map((user) => ({ is: 'there', model: users, name: user }))
  if (after) guards.push({ is: 'there', model: roles, name: roleIn(after) })
  const stays = new Set(has)
  const lost = new Set(had.filter((user) => !stays.has(user)))
  if (before && !isManaged(before) && roleIn(before) === superAdministrator && lost.size > 0) {
    const isLost = (held: { binding: string; user: string }) => held.binding === binding && lost.has(held.user)
    const able = await ableUser(
      store,
      has.map((user) => ({ name: user })),
    )
    guards.push(...(able ? [able] : await remainingAdministrator(store, isLost)))
  }
  await Promise.all(guards.map((guard) => explainMissing(store, guard)))
  return guards
}

/** After a failed guard: reports which object is missing. */
async function explainMissing(store: Store, guard: Guard): Promise<void> {
  if (guard.is !== 'there' || guard.expected || (await store.get(guard.model, guard.name))) return
  const what = guard.model.plural.replace(/s$/, '')
  throw new ApiError('Invalid', `the rolebinding is not valid: there is no ${what} "${guard.name}"`)
}
