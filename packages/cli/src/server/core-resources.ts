import type { ApiObject } from '@pergola/client'

/** Group and version of the core resources, which the CLI uses without discovery. */
const core = { group: '', version: 'v1alpha1' }

export interface User extends ApiObject {
  readonly spec?: { readonly displayName?: string; readonly email?: string; readonly disabled?: boolean }
}

export interface RoleBinding extends ApiObject {
  readonly roleRef: { readonly name: string }
  readonly subjects: readonly { readonly name: string }[]
}

type Typed<Stored extends ApiObject> = typeof core & { readonly plural: string; readonly object?: Stored }

export const users: Typed<User> = { ...core, plural: 'users' }
export const roleBindings: Typed<RoleBinding> = { ...core, plural: 'rolebindings' }
export const roles: Typed<ApiObject> = { ...core, plural: 'roles' }
export const configMaps: Typed<ApiObject & { readonly data?: Readonly<Record<string, unknown>> }> = {
  ...core,
  plural: 'configmaps',
}
export const secrets: Typed<ApiObject & { readonly data?: Readonly<Record<string, string>> }> = {
  ...core,
  plural: 'secrets',
}
export const tokens: {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly object?: ApiObject
} = {
  group: 'security.platform.run',
  version: 'v1alpha1',
  plural: 'personalaccesstokens',
}
