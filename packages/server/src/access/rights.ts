import type { HeldRoles, RoleBook } from './decisions/role-book.ts'
import type { Caller } from '../base/call.ts'

/** Writes that are put in order wait for each other in it. */
export type InTurn = <Done>(write: () => Promise<Done>) => Promise<Done>

/** What a write of roles, bindings or users is measured by. */
export interface Rights {
  /** As far as this replica has heard. */
  rolesOf(caller: Caller): HeldRoles | Promise<HeldRoles>
  /** As it is stored now. */
  readCaller(caller: Caller): Promise<HeldRoles>
  /** All roles as they are stored now. */
  readBook(): Promise<RoleBook>
  /** What a user holds now; nothing when it cannot sign in. */
  readUser(name: string): Promise<HeldRoles>
  /**
   * What it is bound to, also while it is disabled or has not come by its provider for long: whoever has power over it can wait, or
   * bring it back.
   */
  readBound(name: string): Promise<HeldRoles>
}
