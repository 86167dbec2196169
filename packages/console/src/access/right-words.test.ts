import type { Rule } from '@pergola/api'
import { expect, it } from 'vitest'
import type { ListedModel } from '../models/listed-models.ts'
import { en } from '../words/en.ts'
import { rightWords } from './right-words.ts'

const models = [{ group: 'shop', kind: 'Order', plural: 'orders', isOwn: false }] as unknown as readonly ListedModel[]
const on = (resource: string, more: object = {}): Rule => ({
  apiGroups: ['shop'],
  resources: [resource],
  verbs: ['get', 'update'],
  ...more,
})

it.each<[Rule, string, string]>([
  [on('orders'), 'See and change orders.', 'get, update · orders · shop'],
  [on('orders', { verbs: ['*'] }), 'Do everything with orders.', '* · orders · shop'],
  [on('orders', { resourceNames: ['a'] }), 'See and change “a” of orders.', 'get, update · orders "a" · shop'],
  [on('orders/status'), 'See and change orders/status.', 'get, update · orders/status · shop'],
  [on('*', { apiGroups: ['*'] }), 'See and change all data.', 'get, update · * · *'],
  [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }, 'See /metrics.', 'get · /metrics'],
])('describes %j', (rule, text, code) => {
  expect(rightWords(rule, models, en)).toEqual({ text, code })
})
