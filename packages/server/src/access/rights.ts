import type { HeldRoles, RoleBook } from './decisions/role-book.ts'
import type { Caller } from '../call/call.ts'
import type { Store } from '../store/store.ts'

/** Serializes writes in this replica. */
export type InTurn = <Done>(write: () => Promise<Done>) => Promise<Done>

/** The rights by which writes of roles, bindings or users are checked. */
export interface Rights extends StoredRights {
  /** From the cache, which follows the change log. */
  rolesOf(caller: Caller): HeldRoles | Promise<HeldRoles>
  /** The rights as this store shows them, for the rules of a batch; without one, as stored now. */
  asIn(store: Store | undefined): StoredRights
  /** The roles of a user as stored now; none when the user cannot sign in. */
  readUser(name: string): Promise<HeldRoles>
}

/** Rights read from the database, not from a cache. */
export interface StoredRights {
  /** As stored now. */
  readCaller(caller: Caller): Promise<HeldRoles>
  /** All roles as stored now. */
  readBook(): Promise<RoleBook>
  /**
   * All roles bound to the user, even while it is disabled or its managed bindings have expired: a caller with power over
   * the user can wait, or enable it again.
   */
  readBound(name: string): Promise<HeldRoles>
}
