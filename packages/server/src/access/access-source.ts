import { isDeepStrictEqual } from 'node:util'
import { ApiError, type RequestInfo, type Rule } from '@pergola/api'
import { createRoleBook, type HeldRole, type HeldRoles, type RoleBook } from './decisions/role-book.ts'
import type { RoleDefinition } from './decisions/role-graph.ts'
import type { RoleSource } from './decisions/authorize.ts'
import { concernsCredential } from './decisions/credential-request.ts'
import type { Caller, UserCaller } from '../call/call.ts'
import type { CheckedCache } from '../base/checked-cache.ts'
import type { Clock } from '../base/clock.ts'
import { LRUCache } from 'lru-cache'
import { listIdentities } from '../store/records/identities.ts'
import type { JsonObject } from '../models/object.ts'
import type { Feed } from '../feed/feed.ts'
import { followFeed } from '../feed/follow-feed.ts'
import { fromData } from '../models/object-bytes.ts'
import { allObjects } from '../store/all-objects.ts'
import type { Change, ModelKey, Store, StoredObject } from '../store/store.ts'
import { accessKeys } from './access-keys.ts'
import { readAccessCount } from './access-order.ts'
import { issuerOf, isManaged, type CountsUntil } from './managed-binding.ts'
import { livingBindingsWhere } from './administrators.ts'
import { builtInRoles } from './built-in-roles.ts'
import type { Rights, StoredRights } from './rights.ts'
import { roleIn, subjectOfBinding } from './role-binding-model.ts'
import { roleWords } from './role-words.ts'
import { canSignIn } from './user-spec.ts'

/** Maximum number of users whose roles are cached. */
const mostUsers = 20_000
/** Number of cached users compared with the database in one check. */
const checkedUsers = 50

export interface AccessParts {
  readonly store: Store
  readonly feed: Feed
  readonly clock: Clock
  /** When a binding stops counting. */
  readonly countsUntil: CountsUntil
  /** The current claims of plugins. Returns a new object when they have changed. */
  readonly claims: () => PluginClaims
}

/** Which plugin owns each group, and what plugins may do, at one moment. */
export interface PluginClaims {
  readonly pluginOf: (group: string) => string | undefined
  /** The rules of the plugin itself; empty when the plugin does not exist. */
  readonly rulesOf: (plugin: string) => readonly Rule[]
}

export interface AccessSource extends RoleSource, Rights, Disposable {
  start(): Promise<void>
  /** The names of the users whose rights the changes may affect. */
  readonly concerned: (changes: readonly Change[]) => 'everybody' | ReadonlySet<string>
  /** Whether the role exists, as far as this replica knows. */
  readonly hasRole: (name: string) => boolean
  /** Removes a user from the cache, so that a change made by this replica takes effect before it arrives in the change log. */
  forget(name: string): void
  readonly caches: readonly CheckedCache[]
}

/** The claims when no plugins are installed. */
export const noPlugins: PluginClaims = { pluginOf: () => undefined, rulesOf: () => [] }

/** A user and its roles, as last read from the database. */
interface KnownUser {
  /** Undefined for a user who does not exist or may not sign in. */
  readonly uid: string | undefined
  readonly roles: readonly HeldRole[]
  /** When the first of the roles expires. */
  readonly until: number
  /** The resulting rights, keyed by the roles that the credential is narrowed to. */
  readonly held: Map<string, HeldRoles>
}

/**
 * Caches all roles, and each user after a first look-up by index. The change log updates or invalidates entries; everything is
 * read again when the log could not be read for a while.
 */
export function createAccessSource(parts: AccessParts): AccessSource {
  let definitions = new Map<string, RoleDefinition>()
  let made: Made | undefined
  /** Built lazily: a hundred role changes cost one new book. */
  const current = (): Made => {
    const claims = parts.claims()
    if (made?.claims === claims) return made
    const book = toBook(definitions, claims)
    made = { claims, book, anonymous: book.hold([{ name: 'anonymous' }]), plugins: new Map() }
    return made
  }
  const known = createKnownUsers(parts)
  const kept = followFeed({
    ...parts,
    what: 'roles and users',
    load: async () => {
      definitions = await readRoles(parts)
      made = undefined
      known.forgetAll()
    },
    apply: (changes) => {
      for (const change of changes) {
        for (const name of usersOf(change)) known.forget(name)
        if (!isModel(change.model, accessKeys.roles)) continue
        const { name } = change.object
        if (change.op === 'deleted') definitions.delete(name)
        else definitions.set(name, toDefinition(change.object))
        made = undefined
      }
    },
  })
  const stored = createStoredBook(parts)
  const held = (caller: Caller): HeldRoles | Promise<HeldRoles> => {
    const now = current()
    if (caller.kind === 'plugin') return ofPlugin(now, caller.plugin)
    const own = caller.kind === 'anonymous' ? now.anonymous : known.rolesOf(caller, now.book)
    if (caller.through === undefined) return own
    const through = ofPlugin(now, caller.through)
    return own instanceof Promise ? own.then((read) => both(read, through)) : both(own, through)
  }
  const rightsOf = (read: AccessParts, readBook: () => Promise<RoleBook>): StoredRights => ({
    readBook,
    readCaller: async (caller) => {
      if (caller.kind !== 'user') return held(caller)
      const [book, user] = await Promise.all([readBook(), readUser(read, caller.name)])
      const own = heldBy(user, caller, book)
      return caller.through === undefined ? own : both(own, ofPlugin(current(), caller.through))
    },
    readBound: async (name) => {
      const [book, bound] = await Promise.all([readBook(), boundRoles(read, name)])
      return book.hold([...always, ...bound])
    },
  })
  const storedRights = rightsOf(parts, stored)
  // Never cached: these roles may not be committed, and the counter does not tell them from the stored ones.
  const rightsIn = (read: AccessParts) => rightsOf(read, async () => toBook(await readRoles(read), parts.claims()))
  return {
    start: () => kept.start(),
    rolesOf: (caller) => (kept.isCurrent() ? held(caller) : kept.catchUp().then(() => held(caller), withoutDatabase)),
    concerned: (changes) => {
      if (changes.some(({ model }) => isModel(model, accessKeys.roles))) return 'everybody'
      return new Set(changes.flatMap(usersOf))
    },
    ...storedRights,
    asIn: (store) => (store ? rightsIn({ ...parts, store }) : storedRights),
    readUser: async (name) => {
      const [book, user] = await Promise.all([stored(), readUser(parts, name)])
      return book.hold(user.roles)
    },
    hasRole: (name) => definitions.has(name),
    forget: (name) => known.forget(name),
    caches: [
      {
        name: 'roles',
        differences: async () => roleDifferences(definitions, await readRoles(parts)),
        repair: () => kept.catchUp(),
      },
      { name: 'users', differences: () => known.differences(), repair: async () => known.forgetAll() },
    ],
    [Symbol.dispose]: () => kept[Symbol.dispose](),
  }
}

/** All roles as stored now. Reads them again only when a role or binding was written since the last call. */
function createStoredBook(parts: AccessParts): () => Promise<RoleBook> {
  let last: { readonly count: number; readonly claims: PluginClaims; readonly book: RoleBook } | undefined
  return async () => {
    // Read the count before the roles: a write in between increases it, so this book is not reused.
    const count = await readAccessCount(parts.store)
    const claims = parts.claims()
    if (last?.count === count && last.claims === claims) return last.book
    const book = toBook(await readRoles(parts), claims)
    last = { count, claims, book }
    return book
  }
}

interface KnownUsers {
  rolesOf(caller: UserCaller, book: RoleBook): HeldRoles | Promise<HeldRoles>
  forget(name: string): void
  forgetAll(): void
  /** Compares a sample of the cached users with the database. */
  differences(): Promise<ReadonlySet<string>>
}

function createKnownUsers(parts: AccessParts): KnownUsers {
  /** Users who do not exist are cached, too. */
  const known = new LRUCache<string, KnownUser | Promise<KnownUser>>({ max: mostUsers })
  const find = (name: string) => {
    const found = known.get(name)
    if (found && (found instanceof Promise || found.until > parts.clock.now())) return found
    const reading = readUser(parts, name)
    known.set(name, reading)
    // Discard the result when the user was removed from the cache during the read: it may be older than the change.
    const settle = (settled: () => void) => known.get(name) === reading && settled()
    reading.then(
      (user) => settle(() => known.set(name, user)),
      () => settle(() => known.delete(name)),
    )
    return reading
  }
  return {
    rolesOf: (caller, book) => {
      const user = find(caller.name)
      return user instanceof Promise ? user.then((read) => heldBy(read, caller, book)) : heldBy(user, caller, book)
    },
    forget: (name) => known.delete(name),
    forgetAll: () => known.clear(),
    differences: async () => {
      const found = new Set<string>()
      for (const [name, { uid, roles }] of someOf(known.entries(), parts.clock.now())) {
        const stored = await readUser(parts, name)
        const isSame = uid === stored.uid && isDeepStrictEqual(roles, stored.roles)
        if (!isSame) found.add(`${name} ${JSON.stringify([stored.uid, stored.roles])}`)
      }
      return found
    },
  }
}

/** A contiguous sample, from a random offset, of the cached users whose entries have not expired. */
function someOf(
  entries: Iterable<readonly [string, KnownUser | Promise<KnownUser>]>,
  now: number,
): readonly (readonly [string, KnownUser])[] {
  const settled = [...entries].flatMap(([name, user]) =>
    user instanceof Promise || user.until <= now ? [] : [[name, user] as const],
  )
  const from = Math.floor(Math.random() * Math.max(1, settled.length - checkedUsers + 1))
  return settled.slice(from, from + checkedUsers)
}

function roleDifferences(
  kept: ReadonlyMap<string, RoleDefinition>,
  stored: ReadonlyMap<string, RoleDefinition>,
): ReadonlySet<string> {
  const changed = [...stored].filter(([name, role]) => !isDeepStrictEqual(kept.get(name), role))
  const gone = [...kept.keys()].filter((name) => !stored.has(name))
  return new Set([...changed.map(([name, role]) => `${name} ${JSON.stringify(role)}`), ...gone])
}

function heldBy(user: KnownUser, caller: UserCaller, book: RoleBook): HeldRoles {
  if (user.uid !== caller.uid) {
    throw new ApiError('Unauthenticated', `user "${caller.name}" can no longer sign in`)
  }
  // A credential narrowed to no roles differs from one that is not narrowed.
  const key = caller.narrowedTo ? ` ${caller.narrowedTo.join(' ')}` : ''
  const held = user.held.get(key)
  if (held?.book === book) return held
  const lasts = user.until === Number.POSITIVE_INFINITY ? {} : { until: user.until }
  const fresh = { ...book.hold(narrowed(user.roles, caller.narrowedTo)), ...lasts }
  user.held.set(key, fresh)
  return fresh
}

/** Rights while the database is unavailable: the built-in rights of `anonymous`, such as health. Every other request fails. */
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
  noPlugins,
).hold([{ name: 'anonymous' }])

const always: readonly HeldRole[] = [{ name: 'anonymous' }, { name: 'authenticated' }]

const nobody: KnownUser = { uid: undefined, roles: [], until: Number.POSITIVE_INFINITY, held: new Map() }

/** Narrowing keeps the roles that everybody holds without a binding. */
function narrowed(roles: readonly HeldRole[], to: readonly string[] | undefined): readonly HeldRole[] {
  return to === undefined ? roles : roles.filter(({ name, binding }) => binding === undefined || to.includes(name))
}

async function readUser(parts: AccessParts, name: string): Promise<KnownUser> {
  const now = parts.clock.now()
  const user = await parts.store.get(accessKeys.users, name)
  if (!user || !canSignIn(user)) return nobody
  const all = await readBindings(parts, user)
  const bound = all.filter(({ until }) => until > now)
  const until = Math.min(...bound.map((binding) => binding.until))
  return { uid: user.uid, roles: [...always, ...bound.map(({ role }) => role)], until, held: new Map() }
}

async function readBindings(
  parts: AccessParts,
  { name: user, uid }: Pick<StoredObject, 'name' | 'uid'>,
): Promise<readonly { readonly role: HeldRole; readonly until: number }[]> {
  const found: { readonly name: string; readonly object: JsonObject }[] = []
  for await (const { name, data } of livingBindingsWhere(parts.store, subjectOfBinding, user)) {
    found.push({ name, object: fromData(data) })
  }
  const identities = found.some(({ object }) => isManaged(object)) ? await listIdentities(parts.store, uid) : []
  const signedIn = new Map(identities.map(({ issuer, signedInAt }) => [issuer, signedInAt]))
  return found.map(({ name, object }) => {
    const until = parts.countsUntil(object, signedIn.get(issuerOf(object) ?? ''))
    return { role: { name: roleIn(object), binding: name }, until }
  })
}

/** All roles bound to a user, even if the user is disabled or a binding has expired, and the roles its providers gave last. */
async function boundRoles(parts: AccessParts, name: string): Promise<readonly HeldRole[]> {
  const { uid = '' } = (await parts.store.get(accessKeys.users, name)) ?? {}
  const [bound, identities] = await Promise.all([readBindings(parts, { name, uid }), listIdentities(parts.store, uid)])
  const given = identities.flatMap(({ roles }) => roles.map((role) => ({ name: role })))
  return [...bound.map(({ role }) => role), ...given]
}

async function readRoles({ store }: AccessParts): Promise<Map<string, RoleDefinition>> {
  const found = new Map<string, RoleDefinition>()
  for await (const role of allObjects(store, accessKeys.roles)) found.set(role.name, toDefinition(role))
  return found
}

function toDefinition({ name, data }: StoredObject): RoleDefinition {
  return { name, ...roleWords(fromData(data)) }
}

function toBook(definitions: ReadonlyMap<string, RoleDefinition>, { pluginOf }: PluginClaims): RoleBook {
  return createRoleBook([...definitions.values()], { pluginOf })
}

/** Built from the roles and claims of one moment. */
interface Made {
  readonly claims: PluginClaims
  readonly book: RoleBook
  readonly anonymous: HeldRoles
  readonly plugins: Map<string, HeldRoles>
}

/** A plugin holds its own rules and the role `anonymous`. */
function ofPlugin({ claims, anonymous, plugins }: Made, plugin: string): HeldRoles {
  const known = plugins.get(plugin)
  if (known) return known
  const role = { name: `plugin:${plugin}` }
  const definition = { ...role, rules: claims.rulesOf(plugin), dependencies: [], aggregatesTo: [], uiPermissions: [] }
  const own = createRoleBook([definition], claims).hold([role])
  const held = { ...own, find: (request: RequestInfo) => own.find(request) ?? anonymous.find(request) }
  plugins.set(plugin, held)
  return held
}

/** For a plugin that acts for its caller: a request is allowed when both may make it, and it concerns no credential. */
function both(caller: HeldRoles, plugin: HeldRoles): HeldRoles {
  const find = (request: RequestInfo) =>
    !concernsCredential(request) && plugin.find(request) ? caller.find(request) : undefined
  return { ...caller, within: plugin, find }
}

/** The names of the users whose rights the change may affect. */
function usersOf({ model, object, indexed, previous }: Change): readonly string[] {
  if (isModel(model, accessKeys.users)) return [object.name]
  if (!isModel(model, accessKeys.bindings)) return []
  return [...(indexed.multi[subjectOfBinding] ?? []), ...(previous?.multi[subjectOfBinding] ?? [])]
}

function isModel(model: ModelKey, other: ModelKey): boolean {
  return model.group === other.group && model.plural === other.plural
}
