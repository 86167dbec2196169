import { can, roleTemplate } from '@pergola/plugin-sdk'
import { Budget, Purchase } from './models.ts'

// Role templates that operators grant. Routes name the template that allows them, which adds their rules to those here.

/** Aggregated into a role of every signed-in user. */
export const request = roleTemplate('request', { displayName: 'Ask for purchases', aggregateTo: ['authenticated'] })

export const view = roleTemplate('view', {
  displayName: 'View purchases and budgets',
  rules: [can(['get', 'list', 'watch'], Purchase), can(['get', 'list', 'watch'], Budget)],
})

/** Includes the view template, because a decision requires reading. */
export const approve = roleTemplate('approve', { displayName: 'Decide on purchases', dependencies: [view] })

export const manage = roleTemplate('manage', {
  displayName: 'Manage budgets',
  dependencies: [view],
  rules: [can('*', Budget), can(['delete', 'deletecollection'], Purchase)],
  uiPermissions: ['plugin:purchasing:manage', 'plugin:purchasing:books'], // what pages of the console ask for
})

/** Aggregated into the role of every visitor. Hidden when composing roles. */
export const deliver = roleTemplate('deliver', {
  displayName: 'Report deliveries',
  aggregateTo: ['anonymous'],
  hidden: true,
})
