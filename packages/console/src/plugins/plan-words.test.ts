import type { PlanItem, PlanItemCode, PlanItemOf, PlanSectionCode } from '@pergola/api'
import { expect, test } from 'vitest'
import { planWords, sentenceOf, wholeSentenceOf } from './plan-words.ts'

const field = { resource: 'todos', path: 'spec.dueDate' }
const found = { resource: 'todos', found: 2, checked: 1_997, complete: 'no' as const }

/** One item for each code; a missing code is a compile error. */
const samples: { readonly [Code in PlanItemCode]: PlanItemOf<Code>['values'] } = {
  resource: { verbs: ['get', 'list'], resource: 'users', group: '' },
  url: { verbs: ['get'], url: '/metrics' },
  owned: { verbs: ['get', 'create'], all: 'no', resource: 'todos' },
  route: { method: 'GET', path: '/apis/a/v1/shares/{code}', names: ['one'] },
  app: { group: 'api.todo.example.com' },
  'includes-role': { other: 'todo-view' },
  'joins-role': { role: 'todo-own', displayName: 'Own todos', target: 'anonymous' },
  role: { role: 'todo-view' },
  'role-without-rights': { role: 'todo-view' },
  'console-code': {},
  reference: { resource: 'users', group: '', model: 'todos', path: 'spec.owner' },
  model: {
    resource: 'todos',
    group: 'todo.example.com',
    kind: 'Todo',
    versions: ['v1'],
    indexes: ['spec.owner'],
    unique: ['spec.owner'],
    evaluated: [],
    descending: [],
    check: 'yes',
  },
  'model-name': { resource: 'todos', field: 'kind', before: 'Todo', after: 'Task' },
  'model-status': { resource: 'todos', separate: 'yes' },
  'model-check': { resource: 'todos', check: 'no' },
  'model-display': { resource: 'todos' },
  'fields-cut': { resource: 'todos', limit: 200 },
  field: { ...field, type: 'string', required: 'no' },
  'field-required': { ...field, required: 'yes' },
  'field-keyword': { ...field, keyword: 'maxLength', after: '40' },
  'field-rewritten': { ...field, keyword: 'pattern' },
  'field-values': { ...field, added: ['"low"'], removed: ['"none"'] },
  index: { resource: 'todos', name: 'spec.due', unique: 'yes', evaluated: 'no', order: 'ascending' },
  composite: { resource: 'todos', parts: ['spec.due', 'spec.owner'] },
  'index-order': { resource: 'todos', name: 'spec.due', order: 'descending' },
  'index-rebuilt': { resource: 'todos', name: 'spec.due', before: ['string'], after: ['list', 'integer'] },
  controller: { name: 'reminders', resource: 'todos' },
  schedule: { name: 'nightly', cron: '0 3 * * *' },
  setting: { name: 'token', required: 'yes', secret: 'yes' },
  limit: { limit: 'memory', value: 256 },
  'host-version': { range: '1.x' },
  'plugin-version': { plugin: 'users', range: '^1.0.0' },
  about: { field: 'author', text: 'Harbour Tools' },
  group: { group: 'todo.example.com' },
  refused: { reason: 'Forbidden', message: 'it needs get users' },
  'held-role': { role: 'todo-view', bindings: ['ann'] },
  'takeover-model': { resource: 'todos', group: 'todo.example.com', count: 3, replaced: 'yes' },
  'takeover-settings': { kind: 'Secret', name: 'todo-settings' },
  nonconforming: found,
  'duplicate-values': { ...found, path: 'spec.code' },
  dependent: { plugin: 'shop', version: '1.0.0', needed: 'todo', range: '^1.0.0' },
  'shared-account': {},
  objects: { count: 1_997, resource: 'todos', group: 'todo.example.com' },
  'settings-object': { kind: 'ConfigMap', name: 'todo-settings' },
  object: { kind: 'Role', name: 'todo-view' },
  binding: { name: 'ann' },
  'data-kept': { groups: ['todo.example.com'] },
  'groups-released': { groups: ['todo.example.com'] },
}
const itemOf = (code: string, values: object) => ({ code, values }) as unknown as PlanItem
const sections = Object.keys(planWords.en.sections) as readonly PlanSectionCode[]

test.each(Object.entries(samples))('%s has a sentence in every section, in both languages', (code, values) => {
  for (const section of sections) {
    for (const change of [undefined, '+', '-'] as const) {
      const item = { ...itemOf(code, values), ...(change && { change }) } as PlanItem
      const [english, chinese] = [wholeSentenceOf({ section, item }, 'en'), wholeSentenceOf({ section, item }, 'zh')]
      for (const { text, detail = '', code: exact = '' } of [english, chinese]) {
        expect(text).not.toBe('')
        expect(`${text} ${detail} ${exact}`).not.toMatch(/undefined|\[object|NaN| {3}/)
      }
      expect(chinese.detail === undefined).toBe(english.detail === undefined)
    }
  }
})

test('every section has a title in both languages', () => {
  for (const section of sections) {
    expect(planWords.en.sections[section]).not.toBe('')
    expect(planWords.zh.sections[section]).toMatch(/[\u4e00-\u9fff]/)
  }
})

const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']
const sentences: readonly (readonly [string, PlanSectionCode, PlanItem, string, string])[] = [
  [
    'a right of the plugin on objects of the host',
    'requests',
    itemOf('resource', { verbs: ['get', 'list'], resource: 'users', group: '' }),
    'Sees users, which belong to the host. It cannot create, change or delete them.',
    '查看主机的用户。 不能新建或修改或删除。',
  ],
  [
    'a right of a role on the plugin’s own objects',
    'roles',
    itemOf('resource', { verbs: ['*'], resource: 'todos', kind: 'Todo', role: 'todo-manage', displayName: 'Manage' }),
    'Manage: see, create, change and delete everybody’s todos.',
    'Manage：查看、新建、修改、删除所有人的 todos。',
  ],
  [
    'own objects of everybody who signs in',
    'signed-in',
    itemOf('owned', { verbs: all, all: 'yes', resource: 'todos' }),
    'Everybody who signs in: see, create, change and delete their own todos.',
    '所有登录的人：查看、新建、修改、删除自己的 todos。',
  ],
  [
    'everything everywhere is not called the plugin’s own',
    'requests',
    itemOf('resource', { verbs: ['*'], resource: '*', group: '*' }),
    'Sees, creates, changes and deletes everything, of the host and of every plugin.',
    '查看、新建、修改、删除主机和所有插件的所有内容。',
  ],
]

test.each(sentences)('%s', (_, section, item, english, chinese) => {
  const said = (language: 'en' | 'zh') => {
    const { text, detail } = wholeSentenceOf({ section, item }, language)
    return [text, detail].filter((part) => part !== undefined).join(' ')
  }
  expect([said('en'), said('zh')]).toEqual([english, chinese])
})

test('a place that names the role does not repeat it', () => {
  const item = itemOf('includes-role', { role: 'todo-manage', displayName: 'Manage', other: 'todo-view' })
  expect(sentenceOf({ section: 'roles', item }, 'en').text).toBe('Do what the role “todo-view” allows.')
})
