import type { ApiObject } from '../object.ts'
import type { Rule } from '../rules.ts'

export interface User extends ApiObject {
  readonly spec: { readonly displayName?: string; readonly email?: string; readonly disabled?: boolean }
}

export interface Role extends ApiObject {
  readonly rules: readonly Rule[]
  readonly status?: { readonly missingDependencies?: readonly string[] }
}

export interface RoleBinding extends ApiObject {
  readonly roleRef: { readonly name: string }
  readonly subjects: readonly { readonly name: string }[]
}

export interface PersonalAccessToken extends ApiObject {
  readonly spec: {
    readonly owner: string
    readonly description?: string
    readonly expiresAt?: string
    /** Limits the token to these of the owner's roles; all of them when absent. */
    readonly roles?: readonly string[]
  }
}
