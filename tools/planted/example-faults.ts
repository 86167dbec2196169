import type { PlantedFault } from './planted-fault.ts'

interface Slip extends Edit {
  readonly name: string
  /** Below the example's folder. */
  readonly file?: string
  readonly also?: Edit
  readonly expect: RegExp
}

interface Edit {
  readonly replace: string
  readonly by: string
}

const inTodo: readonly Slip[] = [
  {
    name: 'an action done with the rights of the plugin, and not with those of the caller',
    replace: 'await caller.client(mine).update(params.name',
    by: 'await client(Todo).update(params.name',
    also: { replace: 'async ({ params, caller }) => {', by: 'async ({ params, client }) => {' },
    expect: /promise resolved "\{ code: /,
  },
  {
    name: 'objects whose owner is not set',
    replace: "owned(Todo, 'spec.owner',",
    by: "owned(Todo, 'spec.shareCode',",
    expect: /the todo is not valid: spec\.owner is required/,
  },
  {
    name: 'a template for everybody that shows everything',
    replace: "displayName: 'Own todos', ",
    by: "displayName: 'Own todos', rules: [can('get', Todo)], ",
    expect: /promise resolved "\{ …\(4\) \}" instead of rejecting/,
  },
  {
    name: 'a route that counts others than it says',
    replace: "'spec.state': 'open' }",
    by: "'spec.state': 'done' }",
    expect: /\+ {3}"open": 0/,
  },
  {
    name: 'a route that no template allows',
    replace: 'allow: view,',
    by: '',
    expect: /boss may not/,
  },
  {
    name: 'a share that only those can read who have signed in',
    replace: "aggregateTo: ['anonymous'], hidden: true",
    by: "aggregateTo: ['authenticated'], hidden: true",
    expect: /anonymous may not .*; sign in/,
  },
  {
    name: 'a controller that does not come again',
    replace: 'return requeueAfter(wait)',
    by: 'return',
    expect: /expected \[\] to match object/,
  },
  {
    name: 'a reminder that is not remembered',
    replace: 'await client(Todo).updateStatus(todo, { remindedAt: clock.iso() })',
    by: 'void client',
    expect: /to have a length of 1 but got 2/,
  },
  {
    name: 'a reminder that is sent twice',
    replace: '  await fetch(webhook, ',
    by: "  await fetch(webhook, { method: 'POST' })\n  await fetch(webhook, ",
    expect: /to match object/,
  },
]

const inWorkflow: readonly Slip[] = [
  {
    name: 'a purchase that goes without a word to the shop',
    file: 'src/background.ts',
    replace: "finalizer: { name: 'order', finalize: cancel },",
    by: '',
    also: { replace: 'async function cancel(', by: 'export async function cancel(' },
    expect: /finalizers/,
  },
  {
    name: "a decision on one's own purchase",
    file: 'src/routes.ts',
    replace: 'if (purchase.spec.owner === caller.name)',
    by: "if (purchase.spec.owner === '')",
    expect: /promise resolved/,
  },
  {
    name: 'a reminder that comes at once',
    file: 'src/background.ts',
    replace: 'if (wait > 0) return requeueAfter(wait)',
    by: '',
    expect: /to deeply equal \[\]/,
  },
  {
    name: 'a schedule that counts what was refused, and nothing else',
    file: 'src/background.ts',
    replace: "['approved', 'ordered', 'delivered']",
    by: "['refused']",
    expect: /"left": 100000/,
  },
]

/** Mistakes of an author that the tests of the examples must detect. */
export const exampleFaults: readonly PlantedFault[] = [
  ...of('examples/todo', inTodo),
  ...of('examples/workflow', inWorkflow),
]

function of(folder: string, slips: readonly Slip[]): readonly PlantedFault[] {
  return slips.map(({ name, file = 'src/plugin.ts', replace, by, also, expect }) => ({
    name,
    command: `npm test -- --project examples ${folder}`,
    edits: [{ replace, by }, ...(also ? [also] : [])].map((edit) => ({ file: `${folder}/${file}`, ...edit })),
    expect,
  }))
}
