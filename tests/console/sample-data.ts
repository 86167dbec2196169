import { packedProject } from '../end-to-end/packed-source.ts'
import { failing, purchasing } from './packages.ts'
import type { Stage } from './stage.ts'

const packages = '/apis/console.api.platform.run/v1alpha1/plugins/-/packages'
const day = 86_400_000
const fromNow = (days: number) => new Date(Date.now() + days * day).toISOString()

const titles = [
  'Renew the certificate of the staging server',
  'Order chairs for the meeting room',
  'Reply to the auditors',
  'Book the train to Hamburg',
  'Write the release notes',
  'Call the landlord about the heating',
  'Review the backup plan',
  'Update the price list',
  'Invite the new colleagues',
  'Collect the parcel',
  'Check the invoices of October',
  'Plan the workshop on access rights',
  'Replace the broken monitor',
  'Translate the onboarding guide',
  'Test the restore of last night’s backup',
  'Clean up old feature branches',
  'Prepare the quarterly figures',
  'Ask for the new floor plan',
  'Print the badges',
  'Water the plants',
  'Water the plants again',
  'Repair the door of the archive',
]

const purchases = [
  ['Badge printer ribbons', 'received', 94.2],
  ['Replacement battery for van 3', 'ordered', 412.5],
  ['Winter tyres for vans 1–6', 'ordered', 3588],
  ['Paper A4, 80 boxes', 'ordered', 1976],
  ['Camera for the conference room', 'toApprove', 1129],
  ['Fire door inspection', 'approved', 1480],
  ['Standing desks for the Berlin office', 'toApprove', 8640],
  ['Noise-cancelling headsets × 14', 'approved', 4046],
  ['Window repair, second floor', 'rejected', 760],
  ['CAD licences, 12 months', 'approved', 14_280],
  ['Coffee beans, standing order', 'ordered', 236.4],
  ['Oscilloscope for the test bench', 'toApprove', 5290],
  ['First-aid kits, all sites', 'received', 318],
  ['Translation of the safety manual (zh, pl)', 'draft', 2100],
  ['Safety manual, 500 prints', 'draft', 960],
  ['Laptop docks × 20', 'approved', 3180],
  ['Visitor chairs, reception', 'draft', 1290],
  ['Rails for the server rack', 'ordered', 148.9],
  ['Snow clearing, December to March', 'toApprove', 6400],
] as const

const events = [
  ['Summer party', 120, 87],
  ['Harbour tour', 12, 12],
  ['Workshop on access rights', 24, 6],
  ['Open door', 300, 41],
  ['Winter ball', 80, 0],
] as const

/** A model without objects. */
const deliveries = {
  group: 'yard.example.com',
  kind: 'Delivery',
  singular: 'delivery',
  plural: 'deliveries',
  versions: [{ name: 'v1', schema: { properties: { spec: { properties: { title: { type: 'string' } } } } } }],
}

const frontDesk = {
  metadata: {
    name: 'front-desk',
    annotations: {
      'rbac.authorization.platform.run/display-name': 'Front desk',
      'rbac.authorization.platform.run/dependencies': '["todo-view"]',
    },
  },
  rules: [],
}

/** Creates data for every page, independent of earlier journeys; existing objects are not changed. */
export async function makeSampleData(stage: Stage): Promise<void> {
  const people = [
    { name: 'bob', displayName: 'Bob Meyer', email: 'bob@harbour.example' },
    { name: 'carol', displayName: 'Carol Nowak', email: 'carol@harbour.example', disabled: true },
    { name: 'dmitri', displayName: 'Dmitri Volkov', email: 'dmitri@harbour.example' },
  ]
  for (const { name, ...spec } of people) await make(stage, '/api/v1alpha1/users', { metadata: { name }, spec })
  await make(stage, '/api/v1alpha1/rolebindings', {
    metadata: { name: 'bob-todo-manage' },
    roleRef: { name: 'todo-manage' },
    subjects: [{ name: 'bob' }],
  })
  const todos = '/apis/todo.example.com/v1alpha1/todos'
  for (const [at, title] of titles.entries()) {
    const name = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    const tags = at % 3 === 0 ? ['office'] : at % 4 === 0 ? ['office', 'urgent'] : undefined
    await make(stage, todos, {
      metadata: { name: name.slice(0, 40).replace(/-$/, '') },
      spec: {
        title,
        owner: ['ann', 'bob', 'admin'][at % 3],
        state: at % 5 === 4 ? 'done' : 'open',
        ...(at % 2 === 0 && { due: fromNow(at - 3) }),
        ...(tags && { tags }),
      },
    })
  }
  await stage.api('POST', packages, await failing()).catch(ignoreExisting)
  await stage.api('POST', packages, await purchasing()).catch(ignoreExisting)
  await make(stage, '/api/v1alpha1/roles', frontDesk)
  for (const name of ['ann', 'bob', 'dmitri']) {
    await make(stage, '/api/v1alpha1/rolebindings', {
      metadata: { name: `${name}-front-desk` },
      roleRef: { name: 'front-desk' },
      subjects: [{ name }],
    })
  }
  await makePurchases(stage)
  await makeEvents(stage)
  await make(stage, '/apis/plugin.platform.run/v1alpha1/models', { spec: deliveries })
  await stage.until('the failing plugin waits for its next start', async () => {
    const { status } = (await stage.api('GET', '/apis/plugin.platform.run/v1alpha1/plugins/failing')) as {
      readonly status?: { readonly reason?: string }
    }
    return status?.reason === 'BackingOff'
  })
}

/** With the page that is made of the console's parts. */
async function makeEvents(stage: Stage): Promise<void> {
  const packed = await packedProject('examples/events')
  const { approvals } = (await stage.api('POST', `${packages}?plan=true`, packed)) as {
    readonly approvals: readonly string[]
  }
  const approve = approvals.map((name) => `approve=${encodeURIComponent(name)}`).join('&')
  await stage.api('POST', `${packages}?${approve}`, packed).catch(ignoreExisting)
  await untilStarted(stage, 'events')
  const path = '/apis/events.example.com/v1/events'
  for (const [at, [title, seats, taken]] of events.entries()) {
    const name = `event-${at + 1}`
    const start = `2030-0${at + 3}-${String(at * 3 + 4).padStart(2, '0')}T17:00:00Z`
    const talks = [
      { title: 'Opening', speaker: 'Bob Meyer' },
      { title: `What is new in ${title.toLowerCase()}`, speaker: 'Carol Nowak' },
    ]
    await make(stage, path, { metadata: { name }, spec: { title, code: name, start, seats, taken, talks } })
  }
}

/** Its roles exist only then, after its models. */
async function untilStarted(stage: Stage, plugin: string): Promise<void> {
  await stage.until(`${plugin} is started`, async () => {
    const { status } = (await stage.api('GET', `/apis/plugin.platform.run/v1alpha1/plugins/${plugin}`)) as {
      readonly status?: { readonly phase?: string }
    }
    return status?.phase === 'Started'
  })
}

async function makePurchases(stage: Stage): Promise<void> {
  const path = '/apis/purchasing.example.com/v1/purchases'
  await untilStarted(stage, 'purchasing')
  await make(stage, '/api/v1alpha1/rolebindings', {
    metadata: { name: 'ann-purchasing-view' },
    roleRef: { name: 'purchasing-view' },
    subjects: [{ name: 'ann' }],
  })
  for (const [at, [title, state, amount]] of purchases.entries()) {
    const [neededBy = ''] = fromNow(at * 3 - 5).split('T')
    const spec = {
      title,
      state,
      amount,
      neededBy,
      requestedBy: ['bob', 'dmitri', 'carol', 'ann'][at % 4],
      tags: ['furniture', 'berlin'],
      note: 'Twelve desks for the team that moves in on 1 December. The price holds until Friday.',
      items: [
        { item: 'Desk frame, electric', quantity: 12, price: 540 },
        { item: 'Desk top, oak, 160 cm', quantity: 12, price: 165 },
        { item: 'Delivery and assembly', quantity: 1, price: 180 },
      ],
      delivery: { street: 'Rungestraße 20', city: 'Berlin', call: true },
    }
    await make(stage, path, { metadata: { name: `purchase-${String(at + 1).padStart(2, '0')}` }, spec })
  }
}

async function make(stage: Stage, path: string, body: object): Promise<void> {
  await stage.api('POST', path, body).catch(ignoreExisting)
}

function ignoreExisting(error: unknown): void {
  if (!/answers 409/.test(String(error))) throw error
}
