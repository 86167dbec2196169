import { expect, test } from 'vitest'
import { Todo } from '../../../../examples/todo/src/plugin.ts'
import { definePlugin, inspect, owned, roleTemplate, type OwnedOptions } from '../index.ts'

const view = roleTemplate('view', { displayName: 'View' })
const manage = roleTemplate('manage', { displayName: 'Manage' })

/** The types reject most mistakes, but a plugin may be written in JavaScript. */
function plugin(options: object) {
  const mine = owned(Todo, 'spec.owner', options as OwnedOptions<never>)
  return definePlugin({ name: 'todo', models: [Todo], roles: [view, manage], uc: [mine] })
}

const refused: readonly (readonly [what: string, options: object, message: string])[] = [
  [
    'a template without verbs',
    { allow: view },
    "allow is a list of templates with their verbs: [{ to: template, verbs: ['get', 'list', 'watch'] }]",
  ],
  ['an entry whose verbs are forgotten', { allow: [{ to: view }] }, 'allow[0] needs a template and its verbs'],
  ['an entry with another option', { allow: [{ to: view, verbs: '*', verb: 'get' }] }, '"verb" is not an option'],
  ['an unknown verb', { allow: [{ to: view, verbs: ['read'] }] }, 'allow[0] has the verb "read"; there are get, list'],
  ['a read-only field that is not in the schema', { readOnly: ['spec.stat'] }, 'readOnly has "spec.stat", which the'],
  ['a read-only field that owners would have to set', { readOnly: ['spec.title'] }, '"spec.title" is required'],
  ['the field of the owner as read-only', { readOnly: ['spec.owner'] }, '"spec.owner" is set by the host'],
]
for (const [what, options, message] of refused) {
  test(`${what} is rejected`, () => {
    expect(() => inspect(plugin(options))).toThrow(message)
  })
}

test('each template gets a rule with exactly its verbs, and the host serves the verbs of all', () => {
  const { owned: declared, roles } = inspect(
    plugin({
      allow: [
        { to: view, verbs: ['watch', 'get', 'list'] },
        { to: manage, verbs: ['get', 'delete'] },
      ],
      readOnly: ['spec.title'],
    }),
  )
  expect(declared).toEqual([
    {
      group: Todo.group,
      plural: 'todos',
      path: 'spec.owner',
      verbs: ['get', 'list', 'watch', 'delete'],
      allow: [
        { role: 'todo-view', verbs: ['get', 'list', 'watch'] },
        { role: 'todo-manage', verbs: ['get', 'delete'] },
      ],
      readOnly: ['spec.title'],
    },
  ])
  const verbs = roles.map(({ rules }) => rules.map((rule) => rule.verbs?.toSorted()))
  expect(verbs).toEqual([[['get', 'list', 'watch']], [['delete', 'get']]])
})

test('without templates the host serves every verb, to the super administrator', () => {
  const { owned: declared } = inspect(plugin({}))
  expect(declared).toEqual([{ group: Todo.group, plural: 'todos', path: 'spec.owner' }])
})
