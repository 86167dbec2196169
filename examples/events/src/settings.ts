import { defineSettings, secret, t, withDefault } from '@pergola/plugin-sdk'

/** Filled in by an operator. Code reads them where it needs them, so a change needs no restart. */
export const Settings = defineSettings(
  t.Object({
    mail: t.Optional(t.String({ format: 'uri', description: 'Where reminders are sent' })),
    token: t.Optional(secret({ description: 'Sent with every reminder' })),
    hoursBefore: withDefault(t.Integer({ minimum: 1, maximum: 720 }), 24),
  }),
)
