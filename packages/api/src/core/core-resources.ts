import type { ApiObject } from '../object.ts'
import type { PersonalAccessToken, Role, RoleBinding, User } from './access.ts'
import type { Plugin } from './plugin.ts'

interface CoreObjects {
  readonly users: User
  readonly roles: Role
  readonly roleBindings: RoleBinding
  readonly tokens: PersonalAccessToken
  readonly configMaps: ApiObject & { readonly data?: Readonly<Record<string, unknown>> }
  readonly secrets: ApiObject & { readonly data?: Readonly<Record<string, string>> }
  readonly plugins: Plugin
}

interface CoreResource<Stored extends ApiObject> {
  readonly group: string
  readonly version: string
  readonly plural: string
  /** Carries the type of the objects; never set. */
  readonly object?: Stored
}

const core = { group: '', version: 'v1alpha1' }

/** The host's own models, for programs that use them without discovery. */
export const coreResources: { readonly [Name in keyof CoreObjects]: CoreResource<CoreObjects[Name]> } = {
  users: { ...core, plural: 'users' },
  roles: { ...core, plural: 'roles' },
  roleBindings: { ...core, plural: 'rolebindings' },
  tokens: { ...core, group: 'security.platform.run', plural: 'personalaccesstokens' },
  configMaps: { ...core, plural: 'configmaps' },
  secrets: { ...core, plural: 'secrets' },
  plugins: { ...core, group: 'plugin.platform.run', plural: 'plugins' },
}
