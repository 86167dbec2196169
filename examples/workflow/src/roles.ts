import { can, roleTemplate } from '@pergola/plugin-sdk'
import { Budget, Purchase } from './models.ts'

// What operators hand out. Routes name the template that allows them, and their rules come on top of those here.

/** Part of a role that everybody has who signs in. */
export const request = roleTemplate('request', { displayName: 'Ask for purchases', aggregateTo: ['authenticated'] })

export const view = roleTemplate('view', {
  displayName: 'View purchases and budgets',
  rules: [can(['get', 'list', 'watch'], Purchase), can(['get', 'list', 'watch'], Budget)],
})

/** Nobody decides on what they cannot see: who has this one has the other. */
export const approve = roleTemplate('approve', { displayName: 'Decide on purchases', dependencies: [view] })

export const manage = roleTemplate('manage', {
  displayName: 'Manage budgets',
  dependencies: [view],
  rules: [can('*', Budget), can(['delete', 'deletecollection'], Purchase)],
  uiPermissions: ['plugin:purchasing:manage', 'plugin:purchasing:books'], // what pages of the console ask for
})

/** Part of what every visitor may. Not offered to people who put roles together. */
export const deliver = roleTemplate('deliver', {
  displayName: 'Report deliveries',
  aggregateTo: ['anonymous'],
  hidden: true,
})
