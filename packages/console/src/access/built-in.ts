/** The host's built-in roles: they can be granted, not edited. */
export const builtIn: ReadonlySet<string> = new Set([
  'anonymous',
  'authenticated',
  'super-administrator',
  'visitor',
  'contributor',
  'author',
  'post-administrator',
])
