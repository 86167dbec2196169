/** Where a rule of a role may contain `*`, as patterns of its schema. */
export const wildcards = {
  group: String.raw`^(\*|[^*]*)$`,
  resource: String.raw`^(\*|[^*]+)$`,
  /** `*` stands alone, or after a slash at the end of a path. */
  path: String.raw`^(\*|/[^*]*|/([^*]+/)?\*)$`,
  none: '^[^*]+$',
} as const
