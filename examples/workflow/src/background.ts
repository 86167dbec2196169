import { controller, giveUp, schedule, type ControllerContext, type PluginContext } from '@pergola/plugin-sdk'
import { Budget, Purchase, totalOf, User, type StoredPurchase } from './models.ts'
import { Settings } from './settings.ts'

const hour = 3_600_000

/**
 * Called for every new or changed purchase, on one replica at a time, and retried with backoff after a failure. It reads the state
 * of the purchase and does the next step, so repeated and interrupted calls are safe.
 */
export const follow = controller(
  Purchase,
  async (purchase, context) => {
    const { state, total } = purchase.status ?? {}
    if (state === undefined || (state === 'waiting' && total !== totalOf(purchase))) await lookAt(purchase, context)
    else if (state === 'waiting') await remind(purchase, context)
    else if (state === 'approved') await order(purchase, context)
  },
  {
    concurrency: 4,
    // The purchase is being deleted: the finalizer keeps it until the shop has cancelled the order.
    finalizer: { name: 'order', finalize: cancel },
  },
)

/** Checks that the budget exists, which a schema or `check` cannot do, because they see only one object. */
async function lookAt(purchase: StoredPurchase, { client }: ControllerContext): Promise<void> {
  const total = totalOf(purchase)
  const budget = await client(Budget)
    .list({ where: { 'metadata.name': purchase.spec.budget } })
    .first()
  const status = budget
    ? ({ ...purchase.status, state: 'waiting', total } as const)
    : ({ state: 'refused', total, note: `there is no budget "${purchase.spec.budget}"` } as const)
  await client(Purchase).updateStatus(purchase, status)
}

/** Sends one reminder to the approver after some hours. */
async function remind(purchase: StoredPurchase, context: ControllerContext): Promise<void> {
  const { client, clock, settings, requeueAfter, signal } = context
  const { reminders, remindAfterHours } = settings(Settings)
  const { metadata, spec, status } = purchase
  if (!status || status.remindedAt !== undefined || reminders === undefined) return
  const wait = Date.parse(metadata.creationTimestamp) + remindAfterHours * hour - clock.now()
  if (wait > 0) return requeueAfter(wait)
  const { approver } = (await client(Budget).get(spec.budget)).spec
  const { email = approver } = (await client(User).get(approver)).spec
  const body = JSON.stringify({ to: email, text: `"${spec.title}" waits for your decision` })
  await fetch(reminders, { method: 'POST', signal, headers: { 'content-type': 'application/json' }, body })
  await client(Purchase).updateStatus(purchase, { ...status, remindedAt: clock.iso() })
}

/** Uses the uid of the purchase as order number, so that a repeated order is idempotent. */
async function order(purchase: StoredPurchase, context: ControllerContext): Promise<void> {
  const { metadata, spec, status } = purchase
  if (!status) return
  const answer = await tellShop(metadata.uid, context, { method: 'PUT', body: JSON.stringify(spec.items) })
  if (!answer) return context.requeueAfter(hour)
  if (answer.status >= 500) throw new Error(`the shop answers ${answer.status}`) // retried with backoff
  if (!answer.ok) giveUp(`the shop refuses the order: ${answer.status}`) // runs again when the purchase changes
  await context.client(Purchase).updateStatus(purchase, { ...status, state: 'ordered', orderNumber: metadata.uid })
}

async function cancel({ status }: StoredPurchase, context: ControllerContext): Promise<void> {
  if (status?.state !== 'ordered' || status.orderNumber === undefined) return
  const answer = await tellShop(status.orderNumber, context, { method: 'DELETE' })
  if (answer && !answer.ok && answer.status !== 404) throw new Error(`the shop answers ${answer.status}`)
}

/** Undefined if no shop is configured. */
async function tellShop(number: string, { settings, signal }: PluginContext, init: RequestInit) {
  const { shop, token } = settings(Settings)
  if (shop === undefined) return undefined
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return fetch(new URL(`orders/${number}`, shop), { ...init, headers, signal })
}

/** Runs every night at two, UTC; missed nights are replaced by one run. */
export const balance = schedule({ cron: '0 2 * * *' }, async ({ client }) => {
  const bought = { in: ['approved', 'ordered', 'delivered'] } as const
  for await (const budget of client(Budget).list()) {
    const where = { 'spec.budget': budget.metadata.name, 'status.state': bought }
    let spent = 0
    for await (const { status } of client(Purchase).list({ where })) spent += status?.total ?? 0
    if (budget.status?.spent !== spent) await client(Budget).updateStatus(budget, { spent })
  }
})
