import {
  can,
  defineModel,
  definePlugin,
  invalid,
  notFound,
  owned,
  preconditionFailed,
  roleTemplate,
  route,
  t,
  withDefault,
} from '@pergola/plugin-sdk'

/**
 * A post is a draft, submitted or published. This state is its status, which no verb on the post writes: the routes below
 * change it, and each route needs its own right. A submitted or published post cannot be edited; withdrawing it makes
 * it a draft again.
 */
export const Post = defineModel({
  apiVersion: 'content.platform.run/v1alpha1',
  kind: 'Post',
  plural: 'posts',
  spec: t.Object({
    title: t.String({ minLength: 1, maxLength: 200 }),
    slug: t.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 100, description: 'What readers find it by' }),
    body: withDefault(t.String({ maxLength: 200_000, display: { as: 'markdown' } }), ''),
    owner: t.String({ description: 'User name of who writes it', display: { as: 'person' } }),
  }),
  status: t.Object({
    state: t.Enum(['draft', 'submitted', 'published'], {
      description: 'A post without a status is a draft',
      display: { tones: { draft: 'grey', submitted: 'amber', published: 'green' } },
    }),
    submittedAt: t.Optional(t.String({ format: 'date-time' })),
    publishedAt: t.Optional(t.String({ format: 'date-time' })),
  }),
  statusSubresource: true,
  indexes: [
    'spec.title',
    'spec.owner',
    { path: 'spec.slug', unique: true },
    'status.state',
    'status.submittedAt',
    { path: 'status.publishedAt', order: 'DESC' },
  ],
  composites: [['status.state', 'status.publishedAt desc']],
  display: {
    icon: 'newspaper',
    color: 'teal',
    columns: ['spec.title', 'spec.owner', 'status.state', 'status.publishedAt'],
  },
  check: (_, { stored }) => {
    const { state = 'draft' } = stored?.status ?? {}
    if (state !== 'draft') invalid('spec', `cannot change while the post is ${state}; withdraw it first`)
  },
})

const read = roleTemplate('read', { displayName: 'Read what is published', aggregateTo: ['anonymous'], hidden: true })
const write = roleTemplate('write', { displayName: 'Write and submit own posts', aggregateTo: ['contributor'] })
const publish = roleTemplate('publish', {
  displayName: 'Publish own posts',
  dependencies: [write],
  aggregateTo: ['author'],
})
const view = roleTemplate('view', { displayName: 'View all posts', rules: [can(['get', 'list', 'watch'], Post)] })
const manage = roleTemplate('manage', {
  displayName: 'Manage all posts',
  dependencies: [view, publish],
  aggregateTo: ['post-administrator'],
  rules: [can('*', Post)],
})

// uc.api.content.platform.run: the author's own posts; the host checks the owner.
export const mine = owned(Post, 'spec.owner', { allow: [{ to: write, verbs: '*' }] })

export const submit = route('POST /posts/:name/submit', { allow: write }, async ({ params, caller, client, clock }) => {
  const post = await caller.client(mine).get(params.name)
  if (post.status?.state === 'published') preconditionFailed('the post is published already')
  return client(Post).updateStatus(post, { state: 'submitted', submittedAt: clock.iso() })
})

export const withdraw = route('POST /posts/:name/withdraw', { allow: write }, async ({ params, caller, client }) => {
  const post = await caller.client(mine).get(params.name)
  return client(Post).updateStatus(post, { state: 'draft' })
})

export const publishMine = route(
  'POST /posts/:name/publish',
  { allow: publish },
  async ({ params, caller, client, clock }) => {
    const post = await caller.client(mine).get(params.name)
    return client(Post).updateStatus(post, { ...post.status, state: 'published', publishedAt: clock.iso() })
  },
)

// console.api.content.platform.run: the same for posts of any author.
export const publishAny = route(
  'POST /posts/:name/publish',
  { allow: manage, body: t.Object({ version: t.Integer({ description: 'metadata.version of what was read' }) }) },
  async ({ params, body, client, clock }) => {
    const post = await client(Post).get(params.name)
    // Publishing names the reviewed version, so that a later edit cannot be published unseen.
    if (post.metadata.version !== body.version) preconditionFailed('the post has changed since; read it again')
    return client(Post).updateStatus(post, { ...post.status, state: 'published', publishedAt: clock.iso() })
  },
)

export const withdrawAny = route('POST /posts/:name/withdraw', { allow: manage }, async ({ params, client }) =>
  client(Post).updateStatus(await client(Post).get(params.name), { state: 'draft' }),
)

// api.content.platform.run: for every visitor.
const Heading = { title: t.String(), slug: t.String(), publishedAt: t.String({ format: 'date-time' }) }

export const published = route(
  'GET /posts',
  {
    allow: read,
    query: t.Object({
      page: withDefault(t.Integer({ minimum: 1 }), 1),
      size: withDefault(t.Integer({ minimum: 1, maximum: 100 }), 20),
    }),
    response: t.Object({ items: t.Array(t.Object(Heading)), total: t.Integer(), hasNext: t.Boolean() }),
  },
  async ({ query, client }) => {
    const posts = client(Post).list({ where: { 'status.state': 'published' }, sort: 'status.publishedAt desc' })
    const { items, total, hasNext } = await posts.page(query.page, query.size)
    return { items: items.map(headingOf), total, hasNext }
  },
)

export const readPost = route(
  'GET /posts/:slug',
  { allow: read, response: t.Object({ ...Heading, body: t.String() }) },
  async ({ params, client }) => {
    const where = { 'spec.slug': params.slug, 'status.state': 'published' } as const
    const post = (await client(Post).list({ where }).first()) ?? notFound('post')
    return { ...headingOf(post), body: post.spec.body }
  },
)

type StoredPost = NonNullable<typeof Post.object>

function headingOf({ spec: { title, slug }, status }: StoredPost) {
  return { title, slug, publishedAt: status?.publishedAt ?? '' }
}

export default definePlugin({
  name: 'content',
  displayName: 'Posts',
  icon: 'newspaper',
  color: 'teal',
  models: [Post],
  roles: [read, write, publish, view, manage],
  console: [publishAny, withdrawAny],
  uc: [mine, submit, withdraw, publishMine],
  public: [published, readPost],
})
