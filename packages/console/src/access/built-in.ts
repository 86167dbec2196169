/** Roles that come with the host: they are granted, not edited. */
export const builtIn: ReadonlySet<string> = new Set([
  'anonymous',
  'authenticated',
  'super-administrator',
  'visitor',
  'contributor',
  'author',
  'post-administrator',
])
