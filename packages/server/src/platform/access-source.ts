import { ApiError } from '@pergola/api'
import type { HeldRole, HeldRoles, RoleBook } from '../authz/role-book.ts'
import { createRoleBook } from '../authz/role-book.ts'
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
import { isDisabled } from './user-spec.ts'

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
 * All roles in memory; of users those who come, each looked up by index when it first does. What changes is forgotten as
 * soon as the change log says so, and everything when the log could not be read for a while.
 */
export async function createAccessSource(parts: AccessParts): Promise<AccessSource> {
  let book = await readBook(parts)
  /** The least recently used first. A user who is not there is known, too. */
  const known = new Map<string, Promise<KnownUser | undefined>>()
  const reload = async () => {
    known.clear()
    const read = await readBook(parts)
    known.clear()
    book = read
    anonymous = book.hold([{ name: 'anonymous' }])
  }
  let anonymous = book.hold([{ name: 'anonymous' }])
  const log = followChanges(parts.store, {
    onChanges: async (changes) => {
      for (const name of changes.flatMap((change) => usersOf(parts, change))) known.delete(name)
      if (changes.some(({ model }) => isModel(model, parts.roles))) await reload()
    },
    onLost: reload,
    onError: (err) => parts.log.warn({ err }, 'changes of roles and users cannot be read; it is tried again'),
  })
  const user = (name: string) => {
    const found = known.get(name) ?? readUser(parts, name)
    known.delete(name)
    known.set(name, found)
    found.catch(() => known.delete(name))
    const [oldest] = known.keys()
    if (known.size > mostUsers && oldest !== undefined) known.delete(oldest)
    return found
  }
  const rolesNow = async (caller: UserCaller): Promise<HeldRoles> => {
    const found = caller.uid === '' ? administrator(caller) : await user(caller.name)
    if (!found || (caller.uid !== '' && found.uid !== caller.uid)) {
      throw new ApiError('Unauthenticated', `user "${caller.name}" can no longer sign in`)
    }
    const key = caller.narrowedTo?.join(' ') ?? ''
    const held = found.held.get(key)
    if (held?.book === book) return held
    const fresh = book.hold(narrowed(found.roles, caller.narrowedTo))
    found.held.set(key, fresh)
    return fresh
  }
  return {
    rolesOf: (caller: Caller) => {
      if (!log.isCurrent())
        return log.catchUp().then(() => (caller.kind === 'user' ? rolesNow(caller) : anonymous), withoutDatabase)
      return caller.kind === 'user' ? rolesNow(caller) : anonymous
    },
    readBook: () => readBook(parts),
    readUser: async (name) => {
      const [fresh, found] = await Promise.all([readBook(parts), readUser(parts, name)])
      return fresh.hold(found?.roles ?? [])
    },
    [Symbol.dispose]: () => log[Symbol.dispose](),
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

/** The administrator that the configuration names. */
function administrator({ name }: UserCaller): KnownUser {
  return {
    uid: '',
    roles: [...always, { name: superAdministrator, binding: `configuration of ${name}` }],
    held: new Map(),
  }
}

/** What everybody holds stays. */
function narrowed(roles: readonly HeldRole[], to: readonly string[] | undefined): readonly HeldRole[] {
  return to === undefined ? roles : roles.filter(({ name, binding }) => binding === undefined || to.includes(name))
}

async function readUser(parts: AccessParts, name: string): Promise<KnownUser | undefined> {
  const { store, bindings, users } = parts
  const user = await store.get(users, name)
  if (!user || user.deletedAt !== undefined || isDisabled(fromData(user.data))) return undefined
  const roles: HeldRole[] = [...always]
  for await (const binding of bindingsWhere({ store, bindings }, subjectOfBinding, name)) {
    if (binding.deletedAt === undefined) roles.push({ name: roleIn(fromData(binding.data)), binding: binding.name })
  }
  return { uid: user.uid, roles, held: new Map() }
}

async function readBook({ store, roles }: AccessParts): Promise<RoleBook> {
  const found: StoredObject[] = []
  for (let after: Cursor | undefined; ;) {
    const page = await store.list(roles, { limit: 500, total: 'none', ...(after !== undefined && { after }) })
    found.push(...page.items)
    after = page.next
    if (after === undefined) break
  }
  const definitions = found.map(({ name, data }) => ({ name, ...roleWords(fromData(data)) }))
  return createRoleBook(definitions, { pluginOf: () => undefined })
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
