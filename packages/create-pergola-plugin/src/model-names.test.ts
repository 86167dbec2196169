import { expect, test } from 'vitest'
import { modelNames } from './model-names.ts'

const rows: readonly (readonly [plugin: string, kind: string, plural: string, displayName: string])[] = [
  ['todo', 'Todo', 'todos', 'Todos'],
  ['todos', 'Todo', 'todos', 'Todos'],
  ['meeting-room', 'MeetingRoom', 'meetingrooms', 'Meeting rooms'],
  ['inventory', 'Inventory', 'inventories', 'Inventories'],
  ['categories', 'Category', 'categories', 'Categories'],
  ['box', 'Box', 'boxes', 'Boxes'],
  ['boxes', 'Box', 'boxes', 'Boxes'],
  ['address', 'Address', 'addresses', 'Addresses'],
  ['status', 'Status', 'statuses', 'Statuses'],
  ['day', 'Day', 'days', 'Days'],
  ['a--b2', 'AB2', 'ab2s', 'A b2s'],
]
test.each(rows)('a plugin %s has the kind %s', (plugin, kind, plural, displayName) => {
  expect(modelNames(plugin)).toEqual({ kind, plural, displayName })
})
