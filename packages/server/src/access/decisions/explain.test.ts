import { requestInfo, type RequestInfo, type Rule } from '@pergola/api'
import { expect, test } from 'vitest'
import type { Caller } from '../../call/call.ts'
import { explain, type Explanation } from './explain.ts'
import { createRoleBook, type HeldRole } from './role-book.ts'
import type { RoleDefinition } from './role-graph.ts'
import { ruleWords } from './rule-words.ts'

const todo = 'todo.example.com'
const on = (resource: string, ...verbs: readonly string[]): Rule => ({
  apiGroups: [todo],
  resources: [resource],
  verbs,
})
const paths = (urls: readonly string[], ...verbs: readonly string[]): Rule => ({ nonResourceURLs: urls, verbs })

function role(name: string, rules: readonly Rule[], more: Partial<RoleDefinition> = {}): RoleDefinition {
  return { name, rules, dependencies: [], aggregatesTo: [], uiPermissions: [], ...more }
}

const isTemplate = true
const roles: readonly RoleDefinition[] = [
  role('anonymous', [paths(['/livez', '/readyz'], 'get')]),
  role('authenticated', [paths(['/apis', '/openapi/*'], 'get')]),
  role('super-administrator', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }, paths(['*'], '*')]),
  role('todo-view', [on('todo/todos', 'get', 'list', 'watch')], { isTemplate }),
  role('todo-manage', [on('todos', 'create', 'update', 'patch', 'delete')], {
    isTemplate,
    dependencies: ['todo-view'],
  }),
  role('todo-export', [on('todos/export', 'create')], { isTemplate, aggregatesTo: ['editor'] }),
  role('author', [], { dependencies: ['todo-view'] }),
  role('editor', [on('notes', 'get', 'list')], { dependencies: ['author'] }),
  role('milk-keeper', [
    { apiGroups: [todo], resources: ['todos'], resourceNames: ['milk', 'oats'], verbs: ['get', 'list'] },
  ]),
  role('status-writer', [on('todos/status', 'update')]),
  role('counter', [{ apiGroups: ['*'], resources: ['todos'], verbs: ['list'] }]),
  role('page-reader', [paths(['/plugins/note/ui/*'], 'get'), paths(['/plugins/todo/ui/*'], 'get')]),
  role('from-tomorrow', [Object.assign(on('todos', 'delete'), { unless: 'archived' })]),
]
const book = createRoleBook(roles, { pluginOf: (group) => (group === todo ? 'todo' : undefined) })

const user = (name: string): Caller => ({ kind: 'user', name, uid: '1', via: 'token' })
const everybody: readonly HeldRole[] = [{ name: 'anonymous' }, { name: 'authenticated' }]
const bound = (who: string, ...names: readonly string[]): readonly HeldRole[] => [
  ...everybody,
  ...names.map((name) => ({ name, binding: `${who}-${name}` })),
]

interface Case {
  readonly what: string
  readonly caller: Caller
  readonly roles: readonly HeldRole[]
  readonly line: string
}

const callerOf = (who: string, names: string) => ({ caller: user(who), roles: bound(who, ...names.split(' ')) })
const ann = callerOf('ann', 'author')
const bob = callerOf('bob', 'editor')
const eva = callerOf('eva', 'milk-keeper')
const anonymous = { caller: { kind: 'anonymous' }, roles: [{ name: 'anonymous' }] } as const
const todos = `/apis/${todo}/v1/todos`

const allowed: readonly Case[] = [
  { what: 'by a dependency', ...ann, line: `GET ${todos}` },
  { what: 'by two steps', ...bob, line: `GET ${todos}/milk` },
  { what: 'by aggregation', ...bob, line: `POST ${todos}/-/export` },
  { what: 'by a rule of the role itself', ...bob, line: `GET /apis/${todo}/v1/notes` },
  { what: 'the shorter of two ways', ...callerOf('cat', 'editor todo-view'), line: `GET ${todos}` },
  { what: 'an object that a rule names', ...eva, line: `GET ${todos}/milk` },
  { what: 'in every group', ...callerOf('dan', 'counter'), line: 'GET /apis/other.example/v1/todos' },
  { what: 'the super administrator', ...callerOf('root', 'super-administrator'), line: 'DELETE /api/v1alpha1/roles' },
  { what: 'what every signed-in user may', ...ann, line: 'GET /apis' },
  { what: 'what everybody may', ...anonymous, line: 'GET /livez' },
]

const denied: readonly Case[] = [
  { what: 'another verb', ...ann, line: `DELETE ${todos}/milk` },
  { what: 'a verb that nobody has, on a collection', ...ann, line: `DELETE ${todos}` },
  { what: 'another sub-resource', ...ann, line: `GET ${todos}/milk/status` },
  {
    what: 'the object itself, of which only a part is allowed',
    ...callerOf('fay', 'status-writer'),
    line: `PUT ${todos}/milk`,
  },
  { what: 'another name', ...eva, line: `GET ${todos}/eggs` },
  { what: 'no name', ...eva, line: `GET ${todos}` },
  { what: 'another group', ...ann, line: 'GET /apis/todos.example.com/v1/todos' },
  { what: 'another resource', ...ann, line: `GET /apis/${todo}/v1/lists` },
  { what: 'another resource and another verb', ...ann, line: `POST /apis/${todo}/v1/lists` },
  { what: 'the core group', ...callerOf('dan', 'counter'), line: 'DELETE /api/v1alpha1/todos/milk' },
  { what: 'another resource in another group', ...ann, line: 'GET /apis/other.example/v1/lists' },
  {
    what: 'two rules as near, of which the one by the shorter way is told',
    ...callerOf('ivy', 'author milk-keeper'),
    line: `DELETE ${todos}/milk`,
  },
  { what: 'two paths, of which one has more in common', ...callerOf('jim', 'page-reader'), line: 'GET /plugins/todo' },
  { what: 'the path in front of a prefix', ...ann, line: 'GET /openapi' },
  { what: 'another verb on a path', ...ann, line: 'POST /apis' },
  { what: 'a path that nobody names', ...anonymous, line: 'GET /metrics' },
  { what: 'what one template allows and another depends on', ...anonymous, line: `GET ${todos}` },
  {
    what: 'a rule that only a newer host understands',
    ...callerOf('gus', 'from-tomorrow'),
    line: `DELETE ${todos}/milk`,
  },
  { what: 'without any role', caller: user('hal'), roles: [], line: `GET ${todos}` },
]

test('every explanation matches explain.golden.md', async () => {
  for (const one of allowed) expect((await explained(one)).allowed, one.what).toBe(true)
  for (const one of denied) expect((await explained(one)).allowed, one.what).toBe(false)
  const text = [
    '# What an access review says',
    'Compared with the code by `explain.test.ts`; `npx vitest run packages/server/src/access/decisions/explain.test.ts -u` writes it anew.',
    '## Roles',
    roles.map(describeRole).join('\n'),
    '## Allowed',
    ...(await Promise.all(allowed.map(section))),
    '## Denied',
    ...(await Promise.all(denied.map(section))),
  ].join('\n\n')
  await expect(`${text}\n`).toMatchFileSnapshot('explain.golden.md')
})

test('an allowed request has its binding, role, path and rule', async () => {
  expect(await explained({ what: '', ...bob, line: `GET ${todos}/milk` })).toMatchObject({
    allowed: true,
    by: {
      role: 'editor',
      binding: 'bob-editor',
      path: [
        { by: 'dependency', role: 'author' },
        { by: 'dependency', role: 'todo-view' },
      ],
      index: 0,
      rule: on('todo/todos', 'get', 'list', 'watch'),
    },
  })
})

test('a denial has the nearest rule, what it misses, and the templates that would allow the request', async () => {
  expect(await explained({ what: '', ...ann, line: `POST /apis/${todo}/v1/lists` })).toMatchObject({
    allowed: false,
    nearest: { role: 'author', binding: 'ann-author', misses: ['verb', 'resource'], index: 0 },
    templates: [],
  })
  expect(await explained({ what: '', ...ann, line: `GET ${todos}/milk/status` })).toMatchObject({
    nearest: { misses: ['sub-resource'] },
  })
  expect(await explained({ what: '', ...anonymous, line: `GET ${todos}` })).toEqual({
    allowed: false,
    templates: ['todo-view', 'todo-manage'],
    reasons: [
      { code: 'no-rule-near', values: { roles: ['anonymous'] } },
      { code: 'templates', values: { templates: ['todo-view', 'todo-manage'] } },
    ],
    text: expect.any(String) as string,
  })
})

test('the template that grants least is named first, whatever the names are', async () => {
  const all = role('a-manage', [on('todos', '*')], { isTemplate })
  const more = role('b-edit', [on('todos', 'update')], { isTemplate, dependencies: ['c-view'] })
  const view = role('c-view', [on('todos', 'get', 'list')], { isTemplate })
  const held = createRoleBook([all, more, view], { pluginOf: () => undefined }).hold([])
  expect(await explain(held, user('ann'), ask(`GET ${todos}`))).toMatchObject({
    templates: ['c-view', 'b-edit', 'a-manage'],
  })
})

test('at most three templates are named', async () => {
  const many = Array.from({ length: 9 }, (_, at) => role(`t-${at}`, [on('todos', 'list')], { isTemplate }))
  const held = createRoleBook(many, { pluginOf: () => undefined }).hold([])
  expect(await explain(held, user('ann'), ask(`GET ${todos}`))).toMatchObject({ templates: ['t-0', 't-1', 't-2'] })
})

function explained({ caller, roles: held, line }: Case): Promise<Explanation> {
  return explain(book.hold(held), caller, ask(line))
}

function ask(line: string): RequestInfo {
  const [method = '', target = ''] = line.split(' ')
  return requestInfo({ method, target, headers: {} })
}

async function section(one: Case): Promise<string> {
  const held = one.roles.map(({ name, binding }) => (binding === undefined ? name : `${name} (${binding})`))
  return `### ${one.what}\n\n    ${one.line}\n    holds ${held.join(', ') || 'nothing'}\n\n${(await explained(one)).text}`
}

function describeRole({ name, rules, ...more }: RoleDefinition): string {
  const facts = [
    ...(more.isTemplate === true ? ['a template'] : []),
    ...more.dependencies.map((dependency) => `depends on ${dependency}`),
    ...more.aggregatesTo.map((target) => `aggregates to ${target}`),
    ...rules.map((rule) => `allows ${ruleWords(rule)}`),
  ]
  return `- ${name}: ${facts.join('; ')}`
}
