import type { Rule } from '@pergola/api'

/** A role that the host creates at its first start. */
export interface BuiltInRole {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly rules: readonly Rule[]
  /** The rules that a revision added, for databases that an earlier version of the host created. */
  readonly added?: readonly { readonly revision: number; readonly rules: readonly Rule[] }[]
}

/** Increment it when a built-in role gets a new rule, and state the rule in `added` too. */
export const builtInRevision = 2

const hidden = { 'platform.run/hidden': 'true' }
const displayName = (name: string) => ({ 'rbac.authorization.platform.run/display-name': name })
const dependencies = (...roles: string[]) => ({ 'rbac.authorization.platform.run/dependencies': JSON.stringify(roles) })

const signedIn: readonly Rule[] = [
  { nonResourceURLs: ['/apis', '/openapi', '/openapi/*'], verbs: ['get'] },
  { nonResourceURLs: ['/auth/sessions', '/plugins/*'], verbs: ['get'] },
  { nonResourceURLs: ['/auth/sessions/*'], verbs: ['delete'] },
  { nonResourceURLs: ['/auth/password'], verbs: ['update'] },
  { nonResourceURLs: ['/auth/oidc/*'], verbs: ['create'] },
  { apiGroups: ['api.platform.run'], resources: ['users'], resourceNames: ['-'], verbs: ['get', 'patch'] },
  { apiGroups: ['api.platform.run'], resources: ['users/permissions'], resourceNames: ['-'], verbs: ['get'] },
  { apiGroups: ['api.platform.run'], resources: ['accessreviews', 'batches'], verbs: ['create'] },
  {
    apiGroups: ['uc.api.platform.run'],
    resources: ['personalaccesstokens'],
    verbs: ['create', 'list', 'delete'],
  },
]

export const builtInRoles: readonly BuiltInRole[] = [
  {
    name: 'anonymous',
    labels: hidden,
    annotations: displayName('Every visitor'),
    rules: [
      { nonResourceURLs: ['/livez', '/readyz'], verbs: ['get'] },
      { nonResourceURLs: ['/auth/login', '/auth/setup', '/console', '/console/*'], verbs: ['get'] },
      { nonResourceURLs: ['/auth/login', '/auth/sessions', '/auth/setup'], verbs: ['create'] },
      { nonResourceURLs: ['/auth/oidc', '/auth/oidc/*'], verbs: ['get'] },
    ],
    added: [{ revision: 2, rules: [{ nonResourceURLs: ['/auth/login'], verbs: ['get', 'create'] }] }],
  },
  {
    name: 'authenticated',
    labels: hidden,
    annotations: displayName('Every signed-in user'),
    rules: signedIn,
    added: [{ revision: 2, rules: [{ apiGroups: ['api.platform.run'], resources: ['batches'], verbs: ['create'] }] }],
  },
  {
    name: 'super-administrator',
    annotations: displayName('Super administrator'),
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
  },
  {
    name: 'visitor',
    annotations: { ...displayName('Visitor'), ...dependencies('anonymous', 'authenticated') },
    rules: [],
  },
  { name: 'contributor', annotations: displayName('Contributor'), rules: [] },
  { name: 'author', annotations: displayName('Author'), rules: [] },
  { name: 'post-administrator', annotations: displayName('Post administrator'), rules: [] },
]
