import { ApiError } from '@pergola/api'
import { createRoleBook, type HeldRole, type HeldRoles, type RoleBook } from '../authz/role-book.ts'
import type { RoleDefinition } from '../authz/role-graph.ts'
import type { RoleSource } from '../authz/authorize.ts'
import type { Caller, UserCaller } from '../base/call.ts'
import type { Log } from '../base/log.ts'
import type { Model } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import type { Change, Cursor, Store, StoredObject } from '../store/store.ts'
import { bindingsWhere, superAdministrator } from './administrators.ts'
import { builtInRoles } from './built-in-roles.ts'
import { followChanges } from './follow-changes.ts'
import type { Rights } from './rights.ts'
import { roleIn, subjectOfBinding } from './role-binding-model.ts'
import { roleWords } from './role-words.ts'
import { canSignIn } from './user-spec.ts'

/** Users whose roles are kept in memory. */
const mostUsers = 20_000

export interface AccessParts {
  readonly store: Store
  readonly roles: Model
  readonly bindings: Model
  readonly users: Model
  readonly log: Log
}

export interface AccessSource extends RoleSource, Rights, Disposable {}

/** Who somebody is and what it is bound to, as far as the database said last. */
interface KnownUser {
  readonly uid: string
  readonly roles: readonly HeldRole[]
  /** What comes of them, by the roles that the credential is narrowed to. */
  readonly held: Map<string, HeldRoles>
}

/**
 * All roles in memory; of users those who come, each looked up by index when it first does. What changes is taken up or
 * forgotten as soon as the change log says so, and everything is read anew when the log could not be read for a while.
 */
export async function createAccessSource(parts: AccessParts): Promise<AccessSource> {
  const from = await parts.store.head()
  let definitions = await readRoles(parts)
  let made: { readonly book: RoleBook; readonly anonymous: HeldRoles } | undefined
  /** Made when it is next asked for: a hundred changes of roles are one new book. */
  const current = () => {
    if (made) return made
    const book = toBook(definitions)
    made = { book, anonymous: book.hold([{ name: 'anonymous' }]) }
    return made
  }
  const known = createKnownUsers(parts)
  const log = followChanges(parts.store, {
    from,
    onChanges: async (changes) => {
      for (const change of changes) {
        for (const name of usersOf(parts, change)) known.forget(name)
        if (!isModel(change.model, parts.roles)) continue
        const { name } = change.object
        if (change.op === 'deleted') definitions.delete(name)
        else definitions.set(name, toDefinition(change.object))
        made = undefined
      }
    },
    onLost: async () => {
      definitions = await readRoles(parts)
      made = undefined
      known.forgetAll()
    },
    onError: (err) => parts.log.warn({ err }, 'changes of roles and users cannot be read; it is tried again'),
  })
  const held = (caller: Caller): HeldRoles | Promise<HeldRoles> => {
    const { book, anonymous } = current()
    return caller.kind === 'anonymous' ? anonymous : known.rolesOf(caller, book)
  }
  return {
    rolesOf: (caller) => (log.isCurrent() ? held(caller) : log.catchUp().then(() => held(caller), withoutDatabase)),
    readBook: async () => toBook(await readRoles(parts)),
    readUser: async (name) => {
      const [roles, user] = await Promise.all([readRoles(parts), readUser(parts, name)])
      return toBook(roles).hold(user?.roles ?? [])
    },
    [Symbol.dispose]: () => log[Symbol.dispose](),
  }
}

interface KnownUsers {
  rolesOf(caller: UserCaller, book: RoleBook): Promise<HeldRoles>
  forget(name: string): void
  forgetAll(): void
}

function createKnownUsers(parts: AccessParts): KnownUsers {
  /** The least recently used first. A user who is not there is known, too. */
  const known = new Map<string, Promise<KnownUser | undefined>>()
  const find = (name: string) => {
    const found = known.get(name) ?? readUser(parts, name)
    known.delete(name)
    known.set(name, found)
    found.catch(() => known.delete(name))
    const [oldest] = known.keys()
    if (known.size > mostUsers && oldest !== undefined) known.delete(oldest)
    return found
  }
  return {
    rolesOf: async (caller, book) => {
      const user = caller.uid === '' ? administrator : await find(caller.name)
      if (user?.uid !== caller.uid) {
        throw new ApiError('Unauthenticated', `user "${caller.name}" can no longer sign in`)
      }
      const key = caller.narrowedTo?.join(' ') ?? ''
      const held = user.held.get(key)
      if (held?.book === book) return held
      const fresh = book.hold(narrowed(user.roles, caller.narrowedTo))
      user.held.set(key, fresh)
      return fresh
    },
    forget: (name) => known.delete(name),
    forgetAll: () => known.clear(),
  }
}

/** What every visitor may by the host's own word, health above all; whatever else is asked cannot be answered now. */
function withoutDatabase(unavailable: unknown): HeldRoles {
  return {
    ...floor,
    find: (request) => {
      const by = floor.find(request)
      if (!by) throw unavailable
      return by
    },
  }
}

const floor = createRoleBook(
  builtInRoles.map(({ name, rules }) => ({ name, rules, dependencies: [], aggregatesTo: [], uiPermissions: [] })),
  { pluginOf: () => undefined },
).hold([{ name: 'anonymous' }])

const always: readonly HeldRole[] = [{ name: 'anonymous' }, { name: 'authenticated' }]

/** The one that the configuration names. */
const administrator: KnownUser = {
  uid: '',
  roles: [...always, { name: superAdministrator, binding: 'of the configuration' }],
  held: new Map(),
}

/** What everybody holds stays. */
function narrowed(roles: readonly HeldRole[], to: readonly string[] | undefined): readonly HeldRole[] {
  return to === undefined ? roles : roles.filter(({ name, binding }) => binding === undefined || to.includes(name))
}

async function readUser(parts: AccessParts, name: string): Promise<KnownUser | undefined> {
  const { store, bindings, users } = parts
  const user = await store.get(users, name)
  if (!user || !canSignIn(user)) return undefined
  const roles: HeldRole[] = [...always]
  for await (const binding of bindingsWhere({ store, bindings }, subjectOfBinding, name)) {
    if (binding.deletedAt === undefined) roles.push({ name: roleIn(fromData(binding.data)), binding: binding.name })
  }
  return { uid: user.uid, roles, held: new Map() }
}

async function readRoles({ store, roles }: AccessParts): Promise<Map<string, RoleDefinition>> {
  const found = new Map<string, RoleDefinition>()
  for (let after: Cursor | undefined; ;) {
    const page = await store.list(roles, { limit: 500, total: 'none', ...(after !== undefined && { after }) })
    for (const role of page.items) found.set(role.name, toDefinition(role))
    after = page.next
    if (after === undefined) return found
  }
}

function toDefinition({ name, data }: StoredObject): RoleDefinition {
  return { name, ...roleWords(fromData(data)) }
}

function toBook(definitions: ReadonlyMap<string, RoleDefinition>): RoleBook {
  return createRoleBook([...definitions.values()], { pluginOf: () => undefined })
}

/** The users whose rights the change may concern. */
function usersOf({ bindings, users }: AccessParts, { model, object, indexed, previous }: Change): readonly string[] {
  if (isModel(model, users)) return [object.name]
  if (!isModel(model, bindings)) return []
  return [...(indexed.multi[subjectOfBinding] ?? []), ...(previous?.multi[subjectOfBinding] ?? [])]
}

function isModel(model: { group: string; plural: string }, other: Model): boolean {
  return model.group === other.group && model.plural === other.plural
}
