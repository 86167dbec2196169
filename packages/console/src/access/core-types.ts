import type { Rule } from '@pergola/api'
import type { ApiObject, ResourceType } from '@pergola/client'

/** Built-in models that have their own pages. */
export interface Role extends ApiObject {
  readonly rules: readonly Rule[]
  readonly status?: { readonly missingDependencies?: readonly string[] }
}

export interface RoleBinding extends ApiObject {
  readonly roleRef: { readonly name: string }
  readonly subjects: readonly { readonly name: string }[]
}

export interface User extends ApiObject {
  readonly spec: { readonly displayName?: string; readonly email?: string; readonly disabled?: boolean }
}

export interface Token extends ApiObject {
  readonly spec: { readonly owner: string; readonly description?: string; readonly expiresAt?: string }
}

const core = { group: '', version: 'v1alpha1' }
export const roles: ResourceType<Role> = { ...core, plural: 'roles' }
export const bindings: ResourceType<RoleBinding> = { ...core, plural: 'rolebindings' }
export const users: ResourceType<User> = { ...core, plural: 'users' }
export const tokens: ResourceType<Token> = { ...core, group: 'security.platform.run', plural: 'personalaccesstokens' }
