/** Labels and annotations that make something of a role. */
export const roleKeys = {
  /** Label: the role is offered as a part of other roles. */
  template: 'platform.run/role-template',
  /** Label: it is not shown to people. */
  hidden: 'platform.run/hidden',
  /** Label, followed by the name of the role that gets the rules of this one. */
  aggregateTo: 'rbac.authorization.platform.run/aggregate-to-',
  /** Annotation: a JSON array of role names. */
  dependencies: 'rbac.authorization.platform.run/dependencies',
  /** Annotation: a JSON array of permission names. */
  uiPermissions: 'rbac.authorization.platform.run/ui-permissions',
  /** Annotation: what the role stands under where it is shown. */
  module: 'rbac.authorization.platform.run/module',
  /** Annotation: what people call it. */
  displayName: 'rbac.authorization.platform.run/display-name',
} as const
