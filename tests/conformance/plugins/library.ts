import { can, defineModel, definePlugin, owned, roleTemplate, t, type CallContext } from '@pergola/plugin-sdk'
import { Hono } from 'hono'

const Note = defineModel({
  apiVersion: 'library.example.com/v1',
  kind: 'Note',
  plural: 'notes',
  spec: t.Object({ owner: t.String() }),
  indexes: ['spec.owner'],
})

const books = new Hono<{ Bindings: CallContext }>().basePath('/apis/api.library.example.com/v1')
books.get('/books', (context) => context.json({ items: ['dune'] }))
books.get('/books/:name', ({ json, req, env }) => json({ name: req.param('name'), caller: env.caller.name ?? null }))
books.post('/books/:name/loans', async (context) => context.json({ lent: await context.req.json() }, 201))
books.get('/books/:name/pages/:page', (context) => context.json({ page: context.req.param('page') }))
books.get('/talk', ({ env }) =>
  env.upgrade(async (socket) => {
    for await (const message of socket) await socket.send(`heard ${String(message)}`)
  }),
)
books.all('*', (context) => context.json({ method: context.req.method, path: new URL(context.req.url).pathname }))

const read = roleTemplate('read', {
  displayName: 'Read books',
  rules: [
    { apiGroups: ['api.library.example.com'], resources: ['library/books'], verbs: ['list'] },
    { apiGroups: ['api.library.example.com'], resources: ['books'], resourceNames: ['dune'], verbs: ['get'] },
    { nonResourceURLs: ['/apis/api.library.example.com/v1/books/dune/*'], verbs: ['get'] },
    can('list', Note),
  ],
})

// oxlint-disable-next-line import/no-default-export -- a plugin is the default export of its entry
export default definePlugin({
  name: 'library',
  models: [Note],
  roles: [read],
  console: (request, { caller }) => Response.json({ by: caller.name, path: new URL(request.url).pathname }),
  uc: [owned(Note, 'spec.owner', { allow: [{ to: read, verbs: '*' }] })],
  public: books,
})
