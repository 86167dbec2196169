import type { Role } from '@pergola/api'
import { expect, test } from 'vitest'
import type { ListedModel } from '../models/listed-models.ts'
import { en } from '../words/en.ts'
import { zh } from '../words/zh.ts'
import { roleSentence } from './role-sentence.ts'

const model = (kind: string, plural: string) => ({ group: 'todo.example.com', kind, plural }) as ListedModel
const models = [model('Todo', 'todos'), model('TodoList', 'todolists')]
const roleOf = (name: string, rules: Role['rules']) => ({ metadata: { name }, rules }) as Role
const rule = (resources: readonly string[], verbs: readonly string[]) =>
  ({ apiGroups: ['todo.example.com'], resources, verbs }) as Role['rules'][number]

test.each([
  [[rule(['todos'], ['get', 'create'])], 'See and create todos.', '查看、新建 todos。'],
  [[rule(['*'], ['*'])], 'Do everything with todos and todo lists.', '管理 todos、todo lists。'],
  [[rule(['todos'], ['list']), rule(['reports'], ['get'])], 'See todos; 1 other right.', '查看 todos；另有 1 项权限。'],
  [[], 'Nothing yet.', '暂无权限。'],
])('rules %j read as a sentence', (rules, english, chinese) => {
  const role = roleOf('staff', rules)
  const told = [en, zh].map((words) => roleSentence(role, { all: [role], models, words }))
  expect(told).toEqual([english, chinese])
})

test('a built-in role without rules says what it is', () => {
  const role = roleOf('author', [])
  expect(roleSentence(role, { all: [role], models, words: en })).toContain('plugin content')
})
