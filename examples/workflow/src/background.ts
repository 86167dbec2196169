import { controller, giveUp, schedule, type ControllerContext, type PluginContext } from '@pergola/plugin-sdk'
import { Budget, Purchase, totalOf, User, type StoredPurchase } from './models.ts'
import { Settings } from './settings.ts'

const hour = 3_600_000

/**
 * Called whenever a purchase comes or changes, on one replica at a time, and later and later after a failure. It looks at where the
 * purchase stands and does the next step, so it does not matter how often it is called, or where it was cut off.
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
    // Somebody deletes the purchase: it stays until the shop knows.
    finalizer: { name: 'order', finalize: cancel },
  },
)

/** What a schema and a `check` cannot say, since they know of one object alone: whether the other one is there. */
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

/** Once, after some hours, to who has to decide. */
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

/** The number is the purchase's own, so that ordering twice is ordering once. */
async function order(purchase: StoredPurchase, context: ControllerContext): Promise<void> {
  const { metadata, spec, status } = purchase
  if (!status) return
  const answer = await tellShop(metadata.uid, context, { method: 'PUT', body: JSON.stringify(spec.items) })
  if (!answer) return context.requeueAfter(hour)
  if (answer.status >= 500) throw new Error(`the shop answers ${answer.status}`) // comes again, later and later
  if (!answer.ok) giveUp(`the shop refuses the order: ${answer.status}`) // comes again when the purchase changes
  await context.client(Purchase).updateStatus(purchase, { ...status, state: 'ordered', orderNumber: metadata.uid })
}

async function cancel({ status }: StoredPurchase, context: ControllerContext): Promise<void> {
  if (status?.state !== 'ordered' || status.orderNumber === undefined) return
  const answer = await tellShop(status.orderNumber, context, { method: 'DELETE' })
  if (answer && !answer.ok && answer.status !== 404) throw new Error(`the shop answers ${answer.status}`)
}

/** Undefined while no shop is set. */
async function tellShop(number: string, { settings, signal }: PluginContext, init: RequestInit) {
  const { shop, token } = settings(Settings)
  if (shop === undefined) return undefined
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return fetch(new URL(`orders/${number}`, shop), { ...init, headers, signal })
}

/** Every night at two, UTC; a night that was missed is made up for once. */
export const balance = schedule({ cron: '0 2 * * *' }, async ({ client }) => {
  const bought = { in: ['approved', 'ordered', 'delivered'] } as const
  for await (const budget of client(Budget).list()) {
    const where = { 'spec.budget': budget.metadata.name, 'status.state': bought }
    let spent = 0
    for await (const { status } of client(Purchase).list({ where })) spent += status?.total ?? 0
    if (budget.status?.spent !== spent) await client(Budget).updateStatus(budget, { spent })
  }
})
