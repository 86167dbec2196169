import { forbidden, notFound, owned, preconditionFailed, route, t } from '@pergola/plugin-sdk'
import { Budget, Purchase, type StoredPurchase } from './models.ts'
import { approve, deliver, request, view } from './roles.ts'

// uc.api.purchasing.example.com: the caller's own purchases.

/** List, get, create, update, patch, delete and watch, served by the host, which sets the owner. */
export const mine = owned(Purchase, 'spec.owner', { allow: [{ to: request, verbs: '*' }] })

export const again = route('POST /purchases/:name/again', { allow: request }, async ({ params, caller }) => {
  // Uses the rights of the caller: objects of others are not found.
  const { title, budget, items } = (await caller.client(mine).get(params.name)).spec
  return caller.client(mine).create({ title, budget, items })
})

// console.api.purchasing.example.com: the administration.

export const decide = route(
  'POST /purchases/:name/decision',
  {
    allow: approve,
    body: t.Object({
      approve: t.Boolean(),
      generation: t.Integer({ description: 'metadata.generation of the purchase that was read' }),
      note: t.Optional(t.String({ maxLength: 500 })),
    }),
    description: 'Approves or rejects a purchase; only for the budget owner',
  },
  async ({ params, body, caller, client }) => {
    const purchase = await caller.client(Purchase).get(params.name)
    const { spec: budget } = await caller.client(Budget).get(purchase.spec.budget)
    if (budget.approver !== caller.name) forbidden(`${budget.approver} decides on what is bought for ${budget.code}`)
    if (purchase.spec.owner === caller.name) forbidden('somebody else has to decide on what you ask for')
    const { status } = purchase
    if (status?.state !== 'waiting') preconditionFailed(`the purchase does not wait: it is ${status?.state ?? 'new'}`)
    const isAsRead = purchase.metadata.generation === body.generation
    if (!isAsRead) preconditionFailed('the purchase has changed since it was read; read it again')
    // Uses the rights of the plugin: only it writes a status. A concurrent write causes a conflict.
    return client(Purchase).updateStatus(purchase, {
      ...status,
      state: body.approve ? 'approved' : 'refused',
      decidedBy: caller.name,
      ...(body.note !== undefined && { note: body.note }),
    })
  },
)

export const report = route(
  'GET /budgets/:name/report',
  {
    allow: view,
    query: t.Object({ month: t.Optional(t.String({ pattern: '^[0-9]{4}-[0-9]{2}$' })) }),
    response: t.Object({ code: t.String(), left: t.Integer(), waiting: t.Integer(), asked: t.Integer() }),
  },
  async ({ params, query, client }) => {
    const { spec, status } = await client(Budget).get(params.name)
    const where = { 'spec.budget': params.name, ...(query.month !== undefined && { month: query.month }) }
    const purchases = client(Purchase)
    return {
      code: spec.code,
      left: spec.limit - (status?.spent ?? 0),
      waiting: await purchases.list({ where: { ...where, 'status.state': 'waiting' } }).total(),
      asked: await purchases.list({ where }).total(),
    }
  },
)

/** Streams the present purchases and then all changes until the client disconnects. */
export const changes = route(
  'GET /purchases/-/changes',
  { allow: view, stream: true, produces: 'text/event-stream' },
  ({ client, signal }) => linesOf(client(Purchase).watch({ initial: true, signal })),
)

async function* linesOf(events: AsyncIterable<{ readonly type: string; readonly object?: StoredPurchase }>) {
  for await (const { type, object } of events) {
    const state = type === 'DELETED' ? 'gone' : object?.status?.state
    // Forwards the bookmarks of the watch, every ten seconds, because a host ends a stream that is silent for a minute.
    yield object ? `data: ${object.spec.title}: ${state ?? 'new'}\n\n` : ':\n\n'
  }
}

// api.purchasing.example.com: public, here for a supplier who knows the order number.

export const delivered = route(
  'POST /orders/:number/delivered',
  { allow: deliver, response: t.Object({ title: t.String() }) },
  async ({ params, client }) => {
    const where = { 'status.orderNumber': params.number, 'status.state': 'ordered' } as const
    const purchase = (await client(Purchase).list({ where }).first()) ?? notFound('order')
    if (purchase.status) await client(Purchase).updateStatus(purchase, { ...purchase.status, state: 'delivered' })
    return { title: purchase.spec.title }
  },
)
