import { failing } from './packages.ts'
import type { Stage } from './stage.ts'

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

/** Creates data for every page, independent of earlier journeys; existing objects are not changed. */
export async function makeSampleData(stage: Stage): Promise<void> {
  const people = [
    { name: 'bob', displayName: 'Bob Meyer', email: 'bob@example.com' },
    { name: 'carol', displayName: 'Carol Nowak', email: 'carol@example.com', disabled: true },
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
  const plugins = '/apis/console.api.platform.run/v1alpha1/plugins/-/packages'
  await stage.api('POST', plugins, await failing()).catch(ignoreExisting)
}

async function make(stage: Stage, path: string, body: object): Promise<void> {
  await stage.api('POST', path, body).catch(ignoreExisting)
}

function ignoreExisting(error: unknown): void {
  if (!/answers 409/.test(String(error))) throw error
}
