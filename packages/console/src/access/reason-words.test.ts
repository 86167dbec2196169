import type { AccessReason } from '@pergola/api'
import { expect, test } from 'vitest'
import { en } from '../words/en.ts'
import { zh } from '../words/zh.ts'
import { reasonWords } from './reason-words.ts'

const names = {
  nameOf: (role: string) => (role === 'todo-manage' ? 'Manage todos' : role),
  dataOf: (resource: string) => (resource === 'todo/todos' ? 'todos' : resource),
}

const cases: readonly (readonly [AccessReason, string, string])[] = [
  [{ code: 'held', values: { role: 'todo-manage', binding: 'b' } }, 'Holds Manage todos.', '持有 Manage todos。'],
  [
    { code: 'path', values: { role: 'staff', by: ['dependency', 'dependency'], roles: ['todo-manage', 'view'] } },
    'staff contains Manage todos, which contains view.',
    'staff 包含 Manage todos，其中包含 view。',
  ],
  [
    { code: 'rule', values: { verbs: ['get', 'list', 'patch'], resources: ['todo/todos'], names: ['mine'] } },
    'That allows: see, change todos (mine).',
    '因此允许：查看、修改 todos (mine)。',
  ],
  [
    { code: 'nearest', values: { role: 'view', verbs: ['*'], resources: ['*'], misses: ['group'] } },
    'view comes closest. It allows: do everything with all data.',
    '最接近的是 view，它允许：任意操作 所有数据。',
  ],
  [{ code: 'no-role', values: {} }, 'Holds no role.', '没有任何角色。'],
  [
    { code: 'templates', values: { templates: [] } },
    'No part of a role would allow it.',
    '没有角色的组成部分允许此操作。',
  ],
  [
    { code: 'templates', values: { templates: ['todo-manage', 'all'] } },
    'Manage todos or all would allow it.',
    'Manage todos 或 all 可以允许此操作。',
  ],
]

test.each(cases)('the reason %j in both languages', (reason, english, chinese) => {
  expect([reasonWords(reason, en, names), reasonWords(reason, zh, names)]).toEqual([english, chinese])
})
