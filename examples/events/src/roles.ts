import { can, roleTemplate } from '@pergola/plugin-sdk'
import { Event, Registration } from './models.ts'

// What operators grant. Routes name the template that allows them, which adds their rules to those here.

/** Aggregated into the role of every visitor. Hidden when composing roles. */
export const look = roleTemplate('look', { displayName: 'Read the program', aggregateTo: ['anonymous'], hidden: true })

/** Aggregated into a role of every signed-in user. */
export const attend = roleTemplate('attend', { displayName: 'Attend events', aggregateTo: ['authenticated'] })

export const view = roleTemplate('view', {
  displayName: 'View events and guests',
  rules: [can(['get', 'list', 'watch'], Event), can(['get', 'list', 'watch'], Registration)],
})

export const manage = roleTemplate('manage', {
  displayName: 'Manage events',
  dependencies: [view], // managing requires reading
  rules: [can('*', Event)],
  uiPermissions: ['plugin:events:manage'], // what pages of the console ask for
})
