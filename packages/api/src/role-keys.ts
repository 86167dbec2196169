/** Labels and annotations with a meaning on roles. */
export const roleKeys = {
  /** Label: the role is a template, from which other roles are composed. */
  template: 'platform.run/role-template',
  /** Label: the role is hidden from people. */
  hidden: 'platform.run/hidden',
  /** Label prefix, followed by the name of the role that receives the rules of this one. */
  aggregateTo: 'rbac.authorization.platform.run/aggregate-to-',
  /** Annotation: JSON array of the roles that this role includes. */
  dependencies: 'rbac.authorization.platform.run/dependencies',
  /** Annotation: JSON array of UI permission names. */
  uiPermissions: 'rbac.authorization.platform.run/ui-permissions',
  /** Annotation: heading under which the console lists the role. */
  module: 'rbac.authorization.platform.run/module',
  /** Annotation: name shown to people. */
  displayName: 'rbac.authorization.platform.run/display-name',
} as const

/** Whether the key of a label or annotation has a meaning on roles. */
export function isRoleKey(key: string): boolean {
  return key.startsWith(roleKeys.aggregateTo) || Object.values<string>(roleKeys).includes(key)
}

/** Built-in roles that get their rules from the shipped plugin `content`. */
export const contentRoles: readonly string[] = ['contributor', 'author', 'post-administrator']

/** Why a role template of the plugin may not have this UI permission, worded to follow it; undefined when it may. */
export function uiPermissionFault(plugin: string, permission: string): string | undefined {
  const prefix = `plugin:${plugin}:`
  const isOwn = permission.startsWith(prefix) && /^\S+$/.test(permission.slice(prefix.length))
  return isOwn ? undefined : `must have the form ${prefix}<scope>`
}
