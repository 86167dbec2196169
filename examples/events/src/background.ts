import { controller, giveUp, schedule } from '@pergola/plugin-sdk'
import { Event, Registration, User } from './models.ts'
import { Settings } from './settings.ts'

const hour = 3_600_000

/**
 * Called for every new or changed event, on one replica at a time, and retried with backoff after a failure. It reads what is stored and
 * does the next step, so repeated and interrupted calls are safe.
 */
export const remind = controller(
  Event,
  async (event, { client, clock, settings, requeueAfter, signal }) => {
    const { mail, token, hoursBefore } = settings(Settings)
    const { metadata, spec, status } = event
    const start = Date.parse(spec.start)
    if (!mail || status?.remindedAt || start < clock.now()) return
    const wait = start - hoursBefore * hour - clock.now()
    if (wait > 0) return requeueAfter(wait)
    const to: string[] = []
    for await (const registration of client(Registration).list({ where: { 'spec.event': metadata.name } })) {
      const { email } = (await client(User).get(registration.spec.owner)).spec
      if (email) to.push(email)
    }
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const body = JSON.stringify({ id: metadata.uid, to, text: `${spec.title} begins at ${spec.start}` })
    const answer = await fetch(mail, { method: 'POST', signal, headers, body })
    if (answer.status >= 500) throw new Error(`the mail server answers ${answer.status}`) // retried with backoff
    if (!answer.ok) giveUp(`the mail server refuses the reminder: ${answer.status}`) // runs again when the event changes
    await client(Event).updateStatus(metadata.name, (now) => ({ ...now, remindedAt: clock.iso() }))
  },
  {
    concurrency: 4,
    // The event is being deleted: the finalizer keeps it until the mail server has dropped the reminder.
    finalizer: {
      name: 'reminder',
      finalize: async ({ metadata, status }, { settings, signal }) => {
        const { mail } = settings(Settings)
        if (mail && status?.remindedAt) await fetch(new URL(metadata.uid, mail), { method: 'DELETE', signal })
      },
    },
  },
)

/** Every night at two, UTC; missed nights are replaced by one run. */
export const count = schedule({ cron: '0 2 * * *' }, async ({ client }) => {
  for await (const { metadata, status } of client(Event).list()) {
    const guests = await client(Registration)
      .list({ where: { 'spec.event': metadata.name } })
      .total()
    if (status?.guests !== guests) await client(Event).updateStatus(metadata.name, (now) => ({ ...now, guests }))
  }
})
