import { defineSettings, secret, t, withDefault } from '@pergola/plugin-sdk'

/** Filled in by an operator. Code reads them where it needs them, so a change needs no restart. */
export const Settings = defineSettings(
  t.Object({
    shop: t.Optional(t.String({ format: 'uri', description: 'Where orders are sent' })),
    token: t.Optional(secret({ description: 'Shown to the shop' })),
    reminders: t.Optional(t.String({ format: 'uri', description: 'Told of purchases that wait' })),
    remindAfterHours: withDefault(t.Integer({ minimum: 1, maximum: 720 }), 24),
  }),
)
