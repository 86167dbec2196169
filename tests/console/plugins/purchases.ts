import {
  can,
  defineModel,
  definePlugin,
  defineSettings,
  roleTemplate,
  secret,
  t,
  withDefault,
} from '@pergola/plugin-sdk'

/** A field of every schema type, with every display hint: for lists, forms and pictures. */
export const Purchase = defineModel({
  apiVersion: 'purchasing.example.com/v1',
  kind: 'Purchase',
  plural: 'purchases',
  display: {
    title: 'spec.title',
    summary: 'spec.note',
    icon: 'shopping-cart',
    color: 'violet',
    columns: ['spec.state', 'spec.requestedBy', 'spec.neededBy', 'spec.amount'],
  },
  spec: t.Object({
    title: t.String({ minLength: 3, maxLength: 120 }),
    state: withDefault(
      t.Enum(['draft', 'toApprove', 'approved', 'ordered', 'received', 'rejected'], {
        display: {
          tones: {
            draft: 'grey',
            toApprove: 'amber',
            approved: 'blue',
            ordered: 'violet',
            received: 'green',
            rejected: 'red',
          },
        },
      }),
      'draft',
    ),
    amount: t.Number({
      minimum: 0,
      display: { unit: { before: '€' }, as: 'currency', label: { en: 'Amount', zh: '金额' } },
    }),
    neededBy: t.Optional(t.String({ format: 'date' })),
    discount: withDefault(t.Integer({ minimum: 0, maximum: 50, display: { as: 'percent' } }), 0),
    priority: withDefault(t.Enum(['low', 'normal', 'high']), 'normal'),
    requestedBy: t.Optional(t.String({ display: { as: 'person' } })),
    tags: t.Optional(t.Array(t.String({ maxLength: 30 }), { maxItems: 3 })),
    supplierEmail: t.Optional(t.String({ format: 'email', display: { placeholder: 'orders@supplier.example' } })),
    site: t.Optional(t.String({ format: 'uri' })),
    meeting: t.Optional(t.String({ format: 'date-time' })),
    recurring: withDefault(t.Boolean(), false),
    note: t.Optional(t.String({ maxLength: 500, description: 'Shown to whoever approves.' })),
    items: t.Optional(
      t.Array(
        t.Object({
          item: t.String({ minLength: 1 }),
          quantity: withDefault(t.Integer({ minimum: 1 }), 1),
          price: withDefault(t.Number({ minimum: 0, display: { unit: { before: '€' }, as: 'currency' } }), 0),
        }),
        { maxItems: 20 },
      ),
    ),
    delivery: t.Optional(
      t.Object({ street: t.Optional(t.String()), city: t.Optional(t.String()), call: t.Optional(t.Boolean()) }),
    ),
    steps: t.Optional(t.Array(t.Object({ name: t.String(), done: t.Optional(t.Array(t.String())) }))),
    codes: t.Optional(t.Record(t.String(), t.String())),
    extra: t.Optional(t.Unknown()),
  }),
  indexes: [
    'spec.state',
    'spec.neededBy',
    'spec.amount',
    'spec.requestedBy',
    'spec.title',
    'spec.recurring',
    'spec.tags',
    { name: 'words', multi: ({ spec }) => spec.title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [] },
  ],
})

const view = roleTemplate('view', { displayName: 'View purchases', rules: [can(['get', 'list', 'watch'], Purchase)] })
const manage = roleTemplate('manage', {
  displayName: 'Manage purchases',
  dependencies: [view],
  rules: [can('*', Purchase)],
})

export default definePlugin({
  name: 'purchasing',
  displayName: 'Purchasing',
  icon: 'shopping-cart',
  color: 'violet',
  models: [Purchase],
  roles: [view, manage],
  settings: defineSettings(
    t.Object({
      limit: withDefault(t.Integer({ minimum: 1, display: { unit: 'h' } }), 24),
      token: t.Optional(secret({ description: 'For the accounting system' })),
    }),
  ),
})
