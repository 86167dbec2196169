import { can, controller, defineModel, definePlugin, defineSettings, roleTemplate, route } from '@pergola/plugin-sdk'
import { invalid, notFound, owned, secret, t, withDefault } from '@pergola/plugin-sdk'

// The model. `Todo` is a value; every type below is inferred from it.
export const Todo = defineModel({
  apiVersion: 'todo.example.com/v1alpha1',
  kind: 'Todo',
  plural: 'todos',
  spec: t.Object({
    title: t.String({ minLength: 1, maxLength: 120, description: 'What has to be done' }),
    state: withDefault(t.Enum(['open', 'done'], { display: { tones: { open: 'blue', done: 'green' } } }), 'open'),
    owner: t.String({ description: 'User name of the owner', display: { as: 'person' } }),
    start: t.Optional(t.String({ format: 'date-time' })),
    due: t.Optional(t.String({ format: 'date-time' })),
    tags: t.Optional(t.Array(t.String({ maxLength: 40 }), { maxItems: 8 })),
    shareCode: t.Optional(t.String({ pattern: '^[0-9a-f]{8}$' })),
  }),
  status: t.Object({ remindedAt: t.Optional(t.String({ format: 'date-time' })) }),
  statusSubresource: true,
  indexes: [
    'spec.owner',
    'spec.state',
    'spec.due',
    'spec.tags', // an array of scalars: a multi-value index
    { path: 'spec.shareCode', unique: true }, // enforced by the database
    { name: 'words', multi: (todo) => todo.spec.title.toLowerCase().split(/\W+/) }, // search by word; runs in the plugin
  ],
  display: { icon: 'list-todo', color: 'blue', columns: ['spec.title', 'spec.owner', 'spec.state', 'spec.due'] },
  check: ({ spec }) => {
    // what a schema cannot say; before every write, pure, no I/O
    if (spec.start && spec.due && spec.due <= spec.start) invalid('spec.due', 'must be later than spec.start')
  },
})

// An operator fills these in; the console draws the form, `token` is encrypted at rest.
export const Settings = defineSettings(
  t.Object({ webhook: t.Optional(t.String({ format: 'uri' })), token: t.Optional(secret()) }),
)

// Role templates. The build writes them as YAML, with the rules of the routes that name them below.
const view = roleTemplate('view', { displayName: 'View todos', rules: [can(['get', 'list', 'watch'], Todo)] })
export const manage = roleTemplate('manage', {
  displayName: 'Manage todos',
  dependencies: [view],
  rules: [can('*', Todo)],
})
const own = roleTemplate('own', { displayName: 'Own todos', aggregateTo: ['authenticated'] })
const shared = roleTemplate('shared', { displayName: 'Read shared todos', aggregateTo: ['anonymous'], hidden: true })

// console.api.todo.example.com: for the administration
const Counts = t.Object({ open: t.Integer(), done: t.Integer() })
export const stats = route('GET /todos/-/stats', { allow: view, response: Counts }, async ({ client }) => {
  const todos = client(Todo)
  const open = await todos.list({ where: { 'spec.state': 'open' } }).total()
  const done = await todos.list({ where: { 'spec.state': 'done' } }).total()
  return { open, done }
})

// uc.api.todo.example.com: the caller's own todos as list, get, create, update, patch, delete and watch ...
export const mine = owned(Todo, 'spec.owner', { allow: [{ to: own, verbs: '*' }] })
// ... and one action on them
const Code = t.Object({ code: t.String() })
export const share = route('POST /todos/:name/share', { allow: own, response: Code }, async ({ params, caller }) => {
  const code = crypto.randomUUID().slice(0, 8)
  // with the caller's rights: somebody else's todo is not found
  const todo = await caller.client(mine).update(params.name, (todo) => {
    todo.spec.shareCode ??= code
  })
  return { code: todo.spec.shareCode ?? code }
})

// api.todo.example.com: anybody who has the code
const Share = t.Object({ title: t.String(), state: t.String() })
export const readShared = route('GET /shares/:code', { allow: shared, response: Share }, async ({ params, client }) => {
  const found = client(Todo).list({ where: { 'spec.shareCode': params.code } })
  const { title, state } = ((await found.first()) ?? notFound('share')).spec
  return { title, state }
})

// One active instance across all replicas; called again whenever a todo changes.
const reminders = controller(Todo, async (todo, { client, clock, settings, requeueAfter, signal }) => {
  const { webhook, token } = settings(Settings)
  if (!webhook || !todo.spec.due || todo.spec.state === 'done' || todo.status?.remindedAt) return
  const wait = Date.parse(todo.spec.due) - clock.now()
  if (wait > 0) return requeueAfter(wait)
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  await fetch(webhook, { method: 'POST', signal, headers, body: JSON.stringify({ title: todo.spec.title }) })
  await client(Todo).updateStatus(todo, { remindedAt: clock.iso() })
})

export default definePlugin({
  name: 'todo',
  displayName: 'Todos',
  icon: 'list-todo',
  color: 'blue',
  models: [Todo],
  settings: Settings,
  roles: [view, manage, own, shared],
  console: [stats],
  uc: [mine, share],
  public: [readShared],
  controllers: { reminders },
  pages: [{ path: '', title: 'Open todos', allow: view }],
})
