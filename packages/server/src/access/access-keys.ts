import type { ModelKey } from '../store/store.ts'

/** Where the store keeps users, roles, bindings and tokens. */
export const accessKeys = {
  users: { group: '', plural: 'users' },
  roles: { group: '', plural: 'roles' },
  bindings: { group: '', plural: 'rolebindings' },
  tokens: { group: 'security.platform.run', plural: 'personalaccesstokens' },
} as const satisfies Record<string, ModelKey>
