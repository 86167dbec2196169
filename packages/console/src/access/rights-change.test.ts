import { roleKeys, type Role, type Rule } from '@pergola/api'
import { expect, it } from 'vitest'
import { rightsChange, rulesOfRoles } from './rights-change.ts'

const on = (resource: string, verbs: readonly string[], more: object = {}): Rule => ({
  apiGroups: ['shop'],
  resources: [resource],
  verbs,
  ...more,
})
const paths = (url: string, verbs: readonly string[]): Rule => ({ nonResourceURLs: [url], verbs })
const models = [{ group: 'shop', plural: 'orders' }]

it.each<[string, { before: Rule[]; after: Rule[]; gained: Rule[]; lost: Rule[] }]>([
  ['equal rights', { before: [on('orders', ['get'])], after: [on('orders', ['get'])], gained: [], lost: [] }],
  [
    'another verb',
    {
      before: [on('orders', ['get', 'list'])],
      after: [on('orders', ['get', 'update'])],
      gained: [on('orders', ['update'])],
      lost: [on('orders', ['list'])],
    },
  ],
  [
    'every verb after some',
    {
      before: [on('orders', ['get', 'list', 'watch'])],
      after: [on('orders', ['*'])],
      gained: [on('orders', ['create', 'delete', 'deletecollection', 'patch', 'update'])],
      lost: [],
    },
  ],
  [
    'all verbs of a new resource',
    { before: [], after: [on('orders', ['*'])], gained: [on('orders', ['*'])], lost: [] },
  ],
  [
    'the plugin before the plural',
    { before: [on('shop/orders', ['get'])], after: [on('orders', ['get'])], gained: [], lost: [] },
  ],
  [
    'a part of a model, which is no model of a plugin',
    {
      before: [],
      after: [on('orders/status', ['get'])],
      gained: [on('orders/status', ['get'])],
      lost: [],
    },
  ],
  [
    'only some objects',
    {
      before: [on('orders', ['get'])],
      after: [on('orders', ['get'], { resourceNames: ['a'] })],
      gained: [],
      lost: [on('orders', ['get'])],
    },
  ],
  [
    'one verb of two rules',
    {
      before: [],
      after: [on('orders', ['get']), on('orders', ['list', 'get'])],
      gained: [on('orders', ['get', 'list'])],
      lost: [],
    },
  ],
  [
    'paths below a covered one',
    {
      before: [paths('/files/*', ['get'])],
      after: [paths('/files/a', ['get']), paths('/files', ['get'])],
      gained: [paths('/files', ['get'])],
      lost: [paths('/files/*', ['get'])],
    },
  ],
  [
    'everything',
    {
      before: [on('orders', ['get'])],
      after: [on('*', ['*'], { apiGroups: ['*'] })],
      gained: [on('*', ['*'], { apiGroups: ['*'] })],
      lost: [],
    },
  ],
])('compares rights: %s', (_, { before, after, gained, lost }) => {
  expect(rightsChange(before, after, models)).toEqual({ gained, lost })
})

it('the rules of several roles include those of their dependencies', () => {
  const role = (name: string, needs: readonly string[]): Role =>
    ({
      metadata: { name, annotations: { [roleKeys.dependencies]: JSON.stringify(needs) } },
      rules: [on(name, ['get'])],
    }) as unknown as Role
  const all = [role('view', []), role('manage', ['view']), role('other', [])]
  expect(rulesOfRoles(['manage', 'gone'], all)).toEqual([on('manage', ['get']), on('view', ['get'])])
})
