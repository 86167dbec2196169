import type { ModelTableProps } from '@pergola/console'
import { can, controller, defineModel, definePlugin, owned, roleTemplate, route } from '@pergola/plugin-sdk'
import { schedule, t, withDefault, type ModelClient, type PluginContext } from '@pergola/plugin-sdk'
import { testHost, type TestCaller } from '@pergola/plugin-sdk/testing'
import plugin, { mine, Settings, share, stats, Todo } from '../../examples/todo/src/plugin.ts'

/*
 * Mistakes of plugin authors that the compiler must reject. This code is never run: `npm run build` fails when one of these
 * lines compiles.
 */

const view = roleTemplate('view', { displayName: 'View' })

export const tables: readonly ModelTableProps<NonNullable<(typeof Todo)['types']>>[] = [
  { of: Todo, columns: ['spec.title', 'status.remindedAt', 'created', { key: 'words', title: 'Words' }] },
  // @ts-expect-error a column of a field that the model does not have
  { of: Todo, columns: ['spec.titel'] },
  // @ts-expect-error a column of a field that the status does not have
  { of: Todo, columns: ['status.remindetAt'] },
]

export async function requests(client: ModelClient): Promise<void> {
  const todos = client(Todo)
  // @ts-expect-error a field that is not indexed
  todos.list({ where: { 'spec.title': 'Buy milk' } })
  // @ts-expect-error the same; later use of the objects is no further mistake
  const selected = await todos.list({ where: { 'spec.title': 'Buy milk' } }).all()
  selected.map(({ spec }) => spec.title.length)
  // @ts-expect-error a value that the field never has
  todos.list({ where: { 'spec.state': 'opne' } })
  // @ts-expect-error a condition on a value that the field never has
  todos.list({ where: { 'spec.state': { in: ['open', 'closed'] } } })
  // @ts-expect-error an alternative on a value that the field never has
  todos.list({ where: { anyOf: [{ 'spec.state': 'opne' }, { 'spec.due': { exists: true } }] } })
  // @ts-expect-error an alternative on a field that is not indexed
  todos.list({ where: { anyOf: [{ 'spec.title': 'Buy milk' }] } })
  // @ts-expect-error alternatives in an alternative
  todos.watch({ where: { anyOf: [{ anyOf: [{ 'spec.state': 'open' }] }] } })
  // @ts-expect-error an order by a field that is not indexed
  todos.list({ sort: 'spec.title' })
  // @ts-expect-error an order by a field with several values
  todos.list({ sort: 'spec.tags' })
  // @ts-expect-error an order by a multi-value function
  todos.list({ sort: 'words desc' })
  // @ts-expect-error a required field is missing
  await todos.create({ title: 'Buy milk' })
  // @ts-expect-error a number where the schema has a text
  await todos.create({ title: 7, owner: 'ann' })
  // @ts-expect-error a patch with a number where the schema has a text
  await todos.patch('milk', { spec: { title: 7 } })
  // @ts-expect-error a patch of a field that the model does not have
  await todos.patch('milk', { spec: { titel: 'Buy milk' } })
  await todos.patch('milk', { metadata: { labels: { 'a.example/b': null } }, spec: { state: 'done', tags: ['a'] } })
  // @ts-expect-error a status, which is not written when an object is created
  await todos.create({ title: 'Buy milk', owner: 'ann', status: { remindedAt: '2030-03-01T09:00:00Z' } })
  // @ts-expect-error a value that the field never has
  await todos.create({ title: 'Buy milk', owner: 'ann', state: 'opne' })
  const todo = await todos.get('milk')
  // @ts-expect-error a misspelled field
  todo.spec.titel.trim()
  // @ts-expect-error an optional field
  todo.spec.due.trim()
  // @ts-expect-error a shared object
  todo.spec.title = 'Buy bread'
  // @ts-expect-error a change to a value that the field never has
  await todos.update('milk', (draft) => (draft.spec.state = 'opne'))
  // @ts-expect-error a misspelled field of the status
  await todos.updateStatus(todo, { remindetAt: '2030-03-01T09:00:00Z' })
  // @ts-expect-error settings are not objects
  client(Settings)
}

const Place = defineModel({
  apiVersion: 'trips.example.com/v1',
  kind: 'Place',
  plural: 'places',
  spec: t.Object({ title: t.String() }),
})
const Visit = defineModel({
  apiVersion: 'trips.example.com/v1',
  kind: 'Visit',
  plural: 'visits',
  spec: t.Object({ place: t.Ref(Place), others: t.Optional(t.Array(t.Ref(Place))) }),
})

export async function related(client: ModelClient): Promise<void> {
  const page = await client(Visit)
    .list({ expand: ['spec.place', 'spec.others'] })
    .page(1, 20)
  for (const visit of page.items) {
    page.related(visit, 'spec.place')?.spec.title.trim()
    page.related(visit, 'spec.others').map(({ spec }) => spec.title.trim())
    // @ts-expect-error an object that may be missing
    page.related(visit, 'spec.place').spec.title.trim()
    // @ts-expect-error a misspelled field of the object that a reference names
    page.related(visit, 'spec.place')?.spec.titel.trim()
  }
}

export function references(): void {
  // @ts-expect-error a reference to a value that is not a model
  t.Ref(Settings)
  // @ts-expect-error a model by its plural alone, without a group
  t.Ref('places')
  // @ts-expect-error what is not offered
  t.Ref(Place, { onDelete: 'cascade' })
  const names = { apiVersion: 'trips.example.com/v1', kind: 'Order', plural: 'orders' } as const
  const spec = t.Object({ owner: t.String(), lines: t.Array(t.Object({ sku: t.String() })) })
  // @ts-expect-error a misspelled field of the items
  defineModel({ ...names, spec, indexes: ['spec.lines[].suk'] })
  const Order = defineModel({ ...names, spec, indexes: ['spec.owner', 'spec.lines[].sku'] })
  // @ts-expect-error a template without verbs
  owned(Order, 'spec.owner', { allow: [{ to: view }] })
  // @ts-expect-error an unknown verb
  owned(Order, 'spec.owner', { allow: [{ to: view, verbs: ['read'] }] })
  // @ts-expect-error a misspelled read-only field
  owned(Order, 'spec.owner', { allow: [{ to: view, verbs: '*' }], readOnly: ['spec.line'] })
}

export async function together({ batch, lease, client }: PluginContext): Promise<void> {
  // @ts-expect-error an unknown verb
  await batch([{ verb: 'upsert', of: Place, object: { spec: { title: 'Bonn' } } }])
  // @ts-expect-error a misspelled field
  await batch([{ verb: 'create', of: Place, object: { spec: { titel: 'Bonn' } } }])
  // @ts-expect-error a duration without a unit
  await lease('billing', async () => {}, { wait: '10' })
  // @ts-expect-error a model without status
  await client(Place).updateStatus('bonn', () => ({ seen: true }))
}

export function routes(): void {
  // @ts-expect-error a template by its name, where the value is wanted
  route('GET /todos/-/count', { allow: 'view' }, () => ({}))
  // @ts-expect-error no method
  route('/todos/-/count', { allow: view }, () => ({}))
  // @ts-expect-error a parameter that the path does not have
  route('GET /todos/:name/owner', { allow: view }, ({ params }) => params.nmae)
  // @ts-expect-error another answer than was promised
  route('GET /todos/-/count', { response: t.Object({ count: t.Integer() }) }, () => ({ count: 'many' }))
  // @ts-expect-error a field that the body does not have
  route('POST /todos/-/import', { body: t.Object({ url: t.String() }) }, ({ body }) => body.uri)
  // @ts-expect-error a body that was not declared
  route('POST /todos/-/import', {}, ({ body }) => body.url)
  // @ts-expect-error the same, of a plain JSON Schema
  route('POST /todos/-/import', { body: { type: 'object', properties: { n: { type: 'integer' } } } }, (c) => c.body.m)
}

export async function calls(ann: TestCaller): Promise<void> {
  // @ts-expect-error a path parameter is missing
  await ann.call(share)
  // @ts-expect-error a misspelled path parameter
  await ann.call(share, { nmae: 'milk' })
  const { open } = await ann.call(stats)
  // @ts-expect-error a number instead of a string
  open.trim()
  // @ts-expect-error an unknown setting
  await testHost(plugin, { settings: { webhok: 'https://hooks.test/todo' } })
  // @ts-expect-error a duration without a unit
  await (await testHost(plugin)).advance('90')
  await ann.client(mine).create({ title: 'Buy milk' })
}

export function declarations({ settings }: PluginContext): void {
  const spec = t.Object({ title: t.String(), count: t.Optional(t.Integer()), state: t.Enum(['open', 'done']) })
  const names = { apiVersion: 'todo.example.com/v1', kind: 'Todo', plural: 'todos' } as const
  // @ts-expect-error an index on a field that the schema does not have
  defineModel({ ...names, spec, indexes: ['spec.titel'] })
  // @ts-expect-error an index on an object
  defineModel({ ...names, spec, indexes: ['spec'] })
  // @ts-expect-error an index of numbers, which only paths have
  defineModel({ ...names, spec, indexes: [{ name: 'size', single: (one) => one.spec.count ?? 0 }] })
  // @ts-expect-error a composite of a field without index
  defineModel({ ...names, spec, indexes: ['spec.title'], composites: [['spec.title', 'spec.count desc']] })
  // @ts-expect-error a version is missing
  defineModel({ ...names, apiVersion: 'todo.example.com', spec })
  // @ts-expect-error an asynchronous check
  defineModel({ ...names, spec, check: async () => {} })
  // @ts-expect-error a misspelled field in a check
  defineModel({ ...names, spec, check: (one) => void one.spec.titel })
  // @ts-expect-error a default that the field never has
  withDefault(t.Enum(['open', 'done']), 'opne')
  // @ts-expect-error an unknown verb
  can(['get', 'read'], Todo)
  // @ts-expect-error an owner field with several values
  owned(Todo, 'spec.tags')
  // @ts-expect-error an owner field that is not indexed
  owned(Todo, 'spec.title')
  // @ts-expect-error owned objects in the console audience
  definePlugin({ name: 'todo', console: [mine] })
  // @ts-expect-error an unknown audience
  definePlugin({ name: 'todo', admin: [stats] })
  // @ts-expect-error a controller of a value that is not a model
  controller(Settings, async () => {})
  // @ts-expect-error settings that were not declared with defineSettings
  settings(t.Object({ webhook: t.String() }))
  // @ts-expect-error a template by its name, where the value is wanted
  definePlugin({ name: 'todo', roles: ['view'] })
  // @ts-expect-error a duration in words
  schedule({ every: '5 minutes' }, async () => {})
  // @ts-expect-error a misspelled field in a controller
  controller(Todo, async (todo) => void todo.spec.titel)
  // @ts-expect-error an unknown setting
  settings(Settings).webhok?.trim()
}

export function displays(): void {
  const spec = t.Object({ title: t.String(), hours: t.Number({ display: { unit: { after: 'h' } } }) })
  const model = { apiVersion: 'todo.example.com/v1', kind: 'Todo', plural: 'todos', spec } as const
  defineModel({ ...model, display: { title: 'spec.title', columns: ['spec.hours', 'metadata.creationTimestamp'] } })
  // @ts-expect-error a title at a path that the model does not have
  defineModel({ ...model, display: { title: 'spec.titel' } })
  // @ts-expect-error a column at a path that the model does not have
  defineModel({ ...model, display: { columns: ['spec.title', 'spec.hour'] } })
  // @ts-expect-error an icon that the console does not have
  defineModel({ ...model, display: { icon: 'unicorn' } })
  // @ts-expect-error a misspelled key
  defineModel({ ...model, display: { colour: 'red' } })
  // @ts-expect-error a color that the console does not have
  definePlugin({ name: 'todo', color: 'purple' })
  t.Enum(['open', 'done'], { display: { tones: { open: 'blue' } } })
  // @ts-expect-error a tone for a value that the enum does not have
  t.Enum(['open', 'done'], { display: { tones: { opne: 'blue' } } })
  // @ts-expect-error a color that the console does not have
  t.Enum(['open', 'done'], { display: { tones: { open: 'purple' } } })
  // @ts-expect-error a form that fields do not have
  t.String({ display: { as: 'html' } })
}
