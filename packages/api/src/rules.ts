export const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const
export type Verb = (typeof verbs)[number]

/** Grants verbs on resources: objects of models, and custom APIs with resource paths. */
export interface ResourceRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  /** Object names; absent or empty means all. */
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** Grants verbs on paths that are not resources. A trailing `/*` matches everything below. */
export interface NonResourceRule {
  readonly nonResourceURLs: readonly string[]
  readonly verbs: readonly string[]
}

export type Rule = ResourceRule | NonResourceRule
