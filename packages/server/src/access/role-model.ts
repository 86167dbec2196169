import { isDeepStrictEqual } from 'node:util'
import { ApiError, roleKeys, verbs } from '@pergola/api'
import { refuseInvalid } from '../models/verbs/accept.ts'
import { createBuiltInModel } from '../models/definition/built-in-model.ts'
import type { ModelDefinition } from '../models/definition/definition.ts'
import type { Accompaniment, Model, ObjectChange, WriteContext } from '../models/model.ts'
import type { Guard, Store } from '../store/store.ts'
import { bindingsWhere, superAdministrator } from './administrators.ts'
import { builtInRoles } from './built-in-roles.ts'
import { roleOfBinding } from './role-binding-model.ts'
import { roleFaults, roleWords } from './role-words.ts'
import { createRoleBook, type RoleBook } from './decisions/role-book.ts'
import type { RoleDefinition } from './decisions/role-graph.ts'
import { isOnlyIn } from './decisions/rule-groups.ts'
import type { Caller } from '../call/call.ts'
import { wildcards } from '../base/wildcards.ts'
import type { InTurn, Rights, StoredRights } from './rights.ts'
import { accessAsRead } from './access-order.ts'
import { assertCoversAdded, mayHandOutAnything } from './escalation.ts'

const names = { type: 'array', maxItems: 1_000, items: { type: 'string', pattern: wildcards.none } }
const words = (pattern: string) => ({ type: 'array', minItems: 1, maxItems: 1_000, items: { type: 'string', pattern } })
const groups = words(wildcards.group)
const resources = words(wildcards.resource)
const paths = words(wildcards.path)
const allowedVerbs = { type: 'array', minItems: 1, items: { enum: [...verbs, '*'] } }

const definition: ModelDefinition = {
  group: '',
  version: 'v1alpha1',
  kind: 'Role',
  singular: 'role',
  plural: 'roles',
  schema: {
    properties: {
      rules: {
        type: 'array',
        maxItems: 1_000,
        items: {
          type: 'object',
          // Repeated outside of `if` for generated clients, which do not read `if`.
          required: ['verbs'],
          properties: {
            apiGroups: groups,
            resources,
            resourceNames: names,
            nonResourceURLs: paths,
            verbs: allowedVerbs,
          },
          // A rule has one kind: with nonResourceURLs it is about paths, otherwise about resources.
          if: { required: ['nonResourceURLs'] },
          // oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword
          then: {
            properties: { nonResourceURLs: paths, verbs: allowedVerbs },
            required: ['verbs'],
            additionalProperties: false,
          },
          else: {
            properties: { apiGroups: groups, resources, resourceNames: names, verbs: allowedVerbs },
            required: ['apiGroups', 'resources', 'verbs'],
            additionalProperties: false,
          },
        },
      },
      status: {
        type: 'object',
        properties: {
          missingDependencies: {
            type: 'array',
            items: { type: 'string' },
            description: 'Roles that this role depends on and that do not exist.',
          },
        },
      },
    },
    required: ['rules'],
  },
  statusSubresource: true,
}

export interface RoleParts {
  readonly store: Store
  readonly rights: () => Rights
  readonly inTurn: InTurn
  /** The rolebinding model. A function, because that model refers to roles. */
  readonly bindings: () => Model
}

export function createRoleModel(parts: RoleParts): Model {
  const model: Model = createBuiltInModel(definition, {
    rules: {
      ownsStatus: true,
      inTurn: parts.inTurn,
      accompany: (change, context) => accompany(parts, model, { change, context }),
    },
  })
  return model
}

interface Write {
  readonly change: ObjectChange
  readonly context: WriteContext
}

async function accompany(parts: RoleParts, model: Model, { change, context }: Write): Promise<Accompaniment> {
  const { name, before, after } = change
  const { caller, store: inBatch } = context
  const store = inBatch ?? parts.store
  const order = await accessAsRead(store)
  if (before && name === superAdministrator) {
    throw new ApiError('Forbidden', `${superAdministrator} holds every right and can be neither edited nor deleted`)
  }
  if (!after) return { guards: [order, await unbound({ ...parts, store }, name)] }
  refuseInvalid(model, roleFaults(after))
  if (caller) await assertHeld(parts.rights().asIn(inBatch), { name, ...roleWords(after) }, { ...context, caller })
  return { guards: [order] }
}

/** Throws unless the caller holds what the change adds to the role and to every role that includes it. */
async function assertHeld(
  rights: StoredRights,
  written: RoleDefinition,
  { caller, declaredBy }: Pick<WriteContext, 'declaredBy'> & { readonly caller: Caller },
): Promise<void> {
  const before = await rights.readBook()
  // The installer of an unchanged plugin may have been deleted.
  if (declaredBy !== undefined && isDeepStrictEqual(before.roles.get(written.name), written)) return
  const held = await rights.readCaller(caller)
  if (mayHandOutAnything(held)) return
  // The package's own roles are stored together with this one; foreign ones were approved.
  if (caller.kind !== 'plugin' && declaredBy === undefined) refuseMissing(before, written)
  const role = declaredBy === undefined ? written : withoutOwnRules(before, written, declaredBy)
  const others = [...before.roles.values()].filter(({ name }) => name !== role.name)
  const after = createRoleBook([...others, role], before)
  const concerned = new Set([role.name, ...before.heldThrough([role.name]), ...after.heldThrough([role.name])])
  assertCoversAdded(held, { before, after, concerned: [...concerned] }, `role "${role.name}"`)
}

/** A plugin may grant everything on its own groups. */
function withoutOwnRules({ pluginOf }: RoleBook, role: RoleDefinition, plugin: string): RoleDefinition {
  const isOwn = (group: string) => pluginOf(group) === plugin
  return { ...role, rules: role.rules.filter((rule) => !isOnlyIn(rule, isOwn)) }
}

/** Rejects dependencies on missing roles: a later creator of such a role would unknowingly grant its rights to this one. */
function refuseMissing(book: RoleBook, { name, dependencies }: RoleDefinition): void {
  const named = new Set(book.roles.get(name)?.dependencies)
  const missing = dependencies.find((other) => other !== name && !book.roles.has(other) && !named.has(other))
  if (missing === undefined) return
  const detail = `role "${name}" depends on "${missing}" (${roleKeys.dependencies}), which does not exist; create it first. Only a super administrator may name a role that does not exist yet`
  throw new ApiError('EscalationForbidden', detail, { params: { role: name, missing } })
}

/** Refuses to delete a bound role; the guard detects a concurrent binding. */
async function unbound({ store, bindings }: RoleParts, name: string): Promise<Guard> {
  if (builtInRoles.some((role) => role.name === name)) {
    throw new ApiError('Forbidden', `${name} is a built-in role and cannot be deleted`, { params: { role: name } })
  }
  const model = bindings()
  for await (const binding of bindingsWhere({ store, bindings: model }, roleOfBinding, name)) {
    throw new ApiError('InUse', `role "${name}" is bound by rolebinding "${binding.name}"; delete its bindings first`, {
      params: { role: name, binding: binding.name },
    })
  }
  return { is: 'none', model, where: { field: roleOfBinding, is: { op: '=', value: name } } }
}
