import { defineModel, invalid, t } from '@pergola/plugin-sdk'

const apiVersion = 'purchasing.example.com/v1alpha1'
const cents = { minimum: 0, maximum: 1_000_000_000 }

/** A budget and its owner. */
export const Budget = defineModel({
  apiVersion,
  kind: 'Budget',
  plural: 'budgets',
  spec: t.Object({
    code: t.String({ pattern: '^[A-Z]{2,6}-[0-9]{4}$', description: 'As it stands in the books: IT-2030' }),
    approver: t.String({ description: 'User name of who decides' }),
    limit: t.Integer({ ...cents, description: 'In cents' }),
  }),
  status: t.Object({ spent: t.Integer({ description: 'In cents, up to the last night' }) }),
  statusSubresource: true, // written separately from the spec, so that the right to edit a budget does not include its spending
  indexes: [{ path: 'spec.code', unique: true }, 'spec.approver'],
})

/** A purchase request. It names its budget; an index finds the purchases of a budget. */
export const Purchase = defineModel({
  apiVersion,
  kind: 'Purchase',
  plural: 'purchases',
  spec: t.Object({
    title: t.String({ minLength: 1, maxLength: 120 }),
    budget: t.String({ description: 'Name of a budget' }),
    owner: t.String({ description: 'User name of who asks for it' }),
    neededBy: t.Optional(t.String({ format: 'date' })),
    items: t.Array(
      t.Object({
        what: t.String({ minLength: 1, maxLength: 120 }),
        count: t.Integer({ minimum: 1, maximum: 1_000 }),
        price: t.Integer({ ...cents, description: 'Of one, in cents' }),
      }),
      { minItems: 1, maxItems: 50 },
    ),
  }),
  status: t.Object({
    state: t.Enum(['waiting', 'refused', 'approved', 'ordered', 'delivered']),
    total: t.Integer({ description: 'In cents' }),
    decidedBy: t.Optional(t.String()),
    note: t.Optional(t.String({ maxLength: 500 })),
    remindedAt: t.Optional(t.String({ format: 'date-time' })),
    orderNumber: t.Optional(t.String({ description: 'Nobody guesses it' })),
  }),
  statusSubresource: true,
  indexes: [
    'spec.owner',
    'spec.budget',
    'status.state',
    { path: 'status.orderNumber', unique: true },
    { name: 'month', single: ({ spec }) => spec.neededBy?.slice(0, 7) }, // at most one value
    { name: 'words', multi: ({ spec }) => wordsOf([spec.title, ...spec.items.map(({ what }) => what)]) }, // several
  ],
  composites: [['spec.budget', 'status.state']], // often queried together
  check: ({ spec }, { stored }) => {
    const { state = 'waiting' } = stored?.status ?? {}
    if (state !== 'waiting') invalid('spec', `cannot change any more: the purchase is ${state}`)
    const same = spec.items.findIndex(({ what }, at) => spec.items.slice(0, at).some((other) => other.what === what))
    if (same > 0) invalid(`spec.items[${same}].what`, 'is listed twice; add up the counts')
  },
})

export type StoredPurchase = NonNullable<typeof Purchase.object>

export function totalOf({ spec }: StoredPurchase): number {
  return spec.items.reduce((sum, { count, price }) => sum + count * price, 0)
}

function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.toLowerCase().match(/\w+/g) ?? []))
}

/** The part of a host model that this plugin reads. `permissions` requests the right. */
export const User = defineModel({
  apiVersion: 'v1alpha1',
  kind: 'User',
  plural: 'users',
  spec: t.Object({ email: t.Optional(t.String()) }),
})
