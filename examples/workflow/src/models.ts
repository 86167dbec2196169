import { defineModel, invalid, t } from '@pergola/plugin-sdk'

const apiVersion = 'purchasing.example.com/v1alpha1'
const cents = { minimum: 0, maximum: 1_000_000_000 }
const inCents = { unit: 'ct' }

/** A budget and its owner. */
export const Budget = defineModel({
  apiVersion,
  kind: 'Budget',
  plural: 'budgets',
  spec: t.Object({
    code: t.String({ pattern: '^[A-Z]{2,6}-[0-9]{4}$', description: 'As it stands in the books: IT-2030' }),
    approver: t.String({ description: 'User name of who decides', display: { as: 'person' } }),
    limit: t.Integer({ ...cents, display: inCents }),
  }),
  status: t.Object({ spent: t.Integer({ description: 'Up to the last night', display: inCents }) }),
  statusSubresource: true, // written separately from the spec, so that the right to edit a budget does not include its spending
  indexes: [{ path: 'spec.code', unique: true }, 'spec.approver'],
  display: {
    title: 'spec.code',
    icon: 'wallet',
    color: 'green',
    columns: ['spec.code', 'spec.approver', 'spec.limit', 'status.spent'],
  },
})

/** A purchase request. It names its budget; an index finds the purchases of a budget. */
export const Purchase = defineModel({
  apiVersion,
  kind: 'Purchase',
  plural: 'purchases',
  spec: t.Object({
    title: t.String({ minLength: 1, maxLength: 120 }),
    budget: t.String({ description: 'Name of a budget' }),
    owner: t.String({ description: 'User name of who asks for it', display: { as: 'person' } }),
    neededBy: t.Optional(t.String({ format: 'date' })),
    items: t.Array(
      t.Object({
        what: t.String({ minLength: 1, maxLength: 120 }),
        count: t.Integer({ minimum: 1, maximum: 1_000 }),
        price: t.Integer({ ...cents, description: 'Of one', display: inCents }),
      }),
      { minItems: 1, maxItems: 50 },
    ),
  }),
  status: t.Object({
    state: t.Enum(['waiting', 'refused', 'approved', 'ordered', 'delivered'], {
      display: { tones: { waiting: 'amber', refused: 'red', approved: 'blue', ordered: 'violet', delivered: 'green' } },
    }),
    total: t.Integer({ display: inCents }),
    decidedBy: t.Optional(t.String({ display: { as: 'person' } })),
    note: t.Optional(t.String({ maxLength: 500, display: { as: 'multiline' } })),
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
  display: {
    icon: 'shopping-cart',
    color: 'violet',
    columns: ['spec.title', 'spec.owner', 'spec.budget', 'status.state', 'status.total', 'spec.neededBy'],
  },
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
