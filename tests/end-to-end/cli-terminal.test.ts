import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, startInstallation, type Installation } from './cli-installation.ts'
import { todo } from './cli-todos.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'
import { openTerminal, type TmuxTerminal } from './tmux-terminal.ts'

/** One session at a terminal: each test continues where the previous one ended. */
let installation: Installation
let terminal: TmuxTerminal

const [model] = todoDefinition.models
const schema = {
  properties: {
    spec: {
      type: 'object',
      properties: { title: { type: 'string', maxLength: 120 }, state: { enum: ['open', 'done'], default: 'open' } },
    },
  },
}
const models = model ? [{ ...model, versions: [{ name: 'v1alpha1', schema }] }] : []
const shorter = {
  properties: {
    spec: {
      ...schema.properties.spec,
      properties: { ...schema.properties.spec.properties, title: { type: 'string', maxLength: 80 } },
    },
  },
}
const shortModels = model ? [{ ...model, versions: [{ name: 'v1alpha1', schema: shorter }] }] : []
const smtp = { apiGroups: [''], resources: ['secrets'], resourceNames: ['smtp'], verbs: ['get'] }
const view = {
  apiVersion: 'v1alpha1' as const,
  kind: 'Role' as const,
  metadata: { name: 'todo-view', labels: { 'platform.run/role-template': 'true' } },
  rules: [{ apiGroups: ['todo.example.com'], resources: ['todos'], verbs: ['get', 'list', 'watch'] }],
}
const roles = { 'extensions/roles.yaml': JSON.stringify(view) }
const files = {
  'todo-1.0.0.tgz': pluginPackage({ definition: { ...todoDefinition, models }, files: roles }),
  'todo-1.1.0.tgz': pluginPackage({
    definition: { ...todoDefinition, models: shortModels, permissions: [smtp] },
    version: '1.1.0',
    files: roles,
  }),
  'milk.yaml': todo('milk', 'title: Buy milk'),
  'done.yaml': todo('milk', 'title: Buy milk\nstate: done'),
  'wrong.yaml': todo('oats', 'title: Oats\ncolour: red'),
  'long.yaml': todo('milk', `title: ${'o'.repeat(121)}`),
}

beforeAll(async () => {
  installation = await startInstallation({ isSignedIn: false })
  await installation.run(['--version'], { files })
  terminal = openTerminal(installation.env, installation.folder)
})
afterAll(async () => {
  terminal[Symbol.dispose]()
  await installation[Symbol.asyncDispose]()
})

test('login asks for user and password, and does not show the password', async () => {
  const { url } = installation
  terminal.type(`clear; pergola login ${url}`)
  terminal.press('Enter')
  await terminal.shows(/ {2}user$/)
  terminal.type('admin')
  terminal.press('Enter')
  await terminal.shows(/password of admin$/)
  terminal.type(password)
  terminal.press('Enter')
  await terminal.shows(`Signed in as admin (super-administrator) on ${new URL(url).host}.`)
  await terminal.shows(/\n {2}next {6}pergola list <resource>, or pergola plugin list$/m)
  expect(terminal.screen()).not.toContain(password)
})

test('whoami prints user, roles, server and the expiry of the session', async () => {
  const shown = await terminal.run('pergola whoami')
  expect(shown.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'TIME')).toBe(
    [
      '  user      admin',
      '  roles     super-administrator (rolebinding first-administrator)',
      `  server    ${installation.url}`,
      '  until     TIME, later when it is used',
      '[0]',
    ].join('\n'),
  )
})

test('install shows the plan and asks; no changes nothing, yes installs', async () => {
  terminal.type('clear; pergola plugin install todo-1.0.0.tgz; echo "[$?]"')
  terminal.press('Enter')
  await terminal.shows(/ {2}Install on 127\.0\.0\.1:\d+\? \[y\/N\]$/)
  expect(terminal.screen()).toContain('super administrator only')
  terminal.press('Enter')
  await terminal.shows(/nothing has been changed\n\[1\]/)
  terminal.type('clear; pergola plugin install todo-1.0.0.tgz; echo "[$?]"')
  terminal.press('Enter')
  await terminal.shows(/\[y\/N\]$/)
  terminal.type('y')
  terminal.press('Enter')
  await terminal.shows(/ {2}1\.0\.0 started on 1 of 1 {2}\d+\.\d s\n {2}next {6}pergola plugin settings todo.*\n\[0\]/)
})

test('plugin list prints columns; plugin logs suggests plugin list for an unknown plugin', async () => {
  expect(await terminal.run('pergola plugin list')).toBe(
    [
      '  NAME     VERSION  STATE     REPLICAS',
      '  content  1.0.0    Disabled',
      '  todo     1.0.0    Started   1 of 1',
      '  next      pergola plugin show <name>',
      '[0]',
    ].join('\n'),
  )
  // A pipe gets only the rows.
  expect(await terminal.run('pergola plugin list | tail -n 1')).toMatch(/^ {2}todo .*\n\[0\]$/)
  expect(await terminal.run('pergola plugin logs todo')).toBe('todo is up\n[0]')
  expect(await terminal.run('pergola plugin logs tdo')).toBe(
    'there is no plugin "tdo"\n  next      pergola plugin list\n[1]',
  )
})

test('user add asks for the password twice, without echo', async () => {
  const addAnn = async (first: string, second: string) => {
    terminal.type('clear; pergola user add ann; echo "[$?]"')
    terminal.press('Enter')
    await terminal.shows(/ {2}new password of ann \(empty: generate one\)$/)
    terminal.type(first)
    terminal.press('Enter')
    await terminal.shows(/ {2}the same again$/)
    terminal.type(second)
    terminal.press('Enter')
  }
  await addAnn(password, `${password}!`)
  await terminal.shows(/the two passwords differ; type both again\n\[2\]/)
  await addAnn(password, password)
  await terminal.shows(/ {2}user ann created\n {2}next {6}pergola grant ann <role>, and .*\n\[0\]/)
  expect(terminal.screen()).not.toContain(password)
})

test('grant binds a role; can-i prints in colour what the user holds and what is missing', async () => {
  await terminal.run('pergola user add boss --no-password')
  expect(await terminal.run('pergola grant boss todo-view')).toMatch(
    / {2}rolebinding boss-todo-view created\n {2}next {6}pergola can-i .*\n\[0\]$/,
  )
  expect(await terminal.run('pergola grant boss todo-veiw')).toBe(
    'there is no role "todo-veiw"\n  next      pergola role list\n[1]',
  )
  expect(await terminal.run('pergola grant bos todo-view')).toBe(
    'there is no user "bos"\n  next      pergola user add bos, or pergola user list\n[1]',
  )
  expect(await terminal.run('pergola can-i delete todos --as boss')).toBe(
    [
      '  no  boss may not delete todos in todo.example.com',
      '      holds      authenticated; todo-view (rolebinding boss-todo-view)',
      '      nearest    todo-view allows get, list, watch but not delete',
      '[1]',
    ].join('\n'),
  )
  expect(terminal.colouredScreen()).toContain('\u001b[31mno')
  await terminal.run('NO_COLOR=1 pergola can-i delete todos --as boss')
  expect(terminal.colouredScreen()).not.toContain('\u001b[3')
})

test('apply creates an object and prints changes; list shows it', async () => {
  expect(await terminal.run('pergola apply -f milk.yaml')).toBe('  todo milk created\n[0]')
  expect(await terminal.run('pergola apply -f done.yaml')).toBe(
    '  todo milk changed\n      spec.state  open -> done\n[0]',
  )
  expect((await terminal.run('pergola list todos')).replace(/\d+s$/m, '3s')).toBe(
    '  NAME  TITLE     STATE  AGE\n  milk  Buy milk  done   3s\n[0]',
  )
})

test('get shows an object as YAML that can be applied again, without colours', async () => {
  const shown = await terminal.run('pergola get todo milk -o yaml')
  expect(shown).toMatch(/^apiVersion: todo\.example\.com\/v1alpha1\nkind: Todo\nmetadata:\n {2}name: milk\n/)
  expect(shown).toMatch(/\nspec:\n {2}title: Buy milk\n {2}state: done\n\[0\]$/)
  expect(terminal.colouredScreen()).not.toContain('\u001b[3')
  expect(await terminal.run('pergola get todo milk > read.yaml; pergola apply -f read.yaml')).toBe(
    '  todo milk unchanged\n[0]',
  )
})

test('errors name the place and the next step', async () => {
  expect(await terminal.run('pergola apply -f wrong.yaml')).toMatch(
    /^wrong\.yaml:2 todo oats: the todo is not valid\n {6}wrong\.yaml:8 spec\.colour is not a known field\n\[1\]$/,
  )
  expect(terminal.colouredScreen()).not.toContain('\u001b[32m')
  expect(await terminal.run('pergola apply -f long.yaml')).toMatch(
    /^long\.yaml:2 todo milk: the todo is not valid\n {6}long\.yaml:7 spec\.title .*120.*\n\[1\]$/,
  )
  expect(await terminal.run('pergola list todoss')).toBe(
    'there is no resource "todoss"; did you mean todos or todo?\n[2]',
  )
})

test('watch prints every change until Ctrl-C', async () => {
  terminal.type('clear; pergola list todos --watch; echo "[$?]"')
  terminal.press('Enter')
  await terminal.shows(/ {2}present {2}milk {2}Buy milk {2}done/)
  await installation.done(['apply', '-f', 'milk.yaml'])
  await terminal.shows(/ {2}changed {2}milk {2}Buy milk {2}open/)
  terminal.press('C-c')
  await terminal.shows(/\[130\]/)
  expect(terminal.screen().match(/^ .* milk /gm)).toHaveLength(2)
})

test('delete asks for confirmation; only yes deletes', async () => {
  terminal.type('clear; pergola delete todo milk; echo "[$?]"')
  terminal.press('Enter')
  await terminal.shows(/ {2}Delete todo milk on 127\.0\.0\.1:\d+\? \[y\/N\]$/)
  terminal.type('maybe')
  terminal.press('Enter')
  await terminal.shows(/nothing has been deleted\n\[1\]/)
  terminal.type('clear; pergola delete todo milk; echo "[$?]"')
  terminal.press('Enter')
  await terminal.shows(/\[y\/N\]$/)
  terminal.type('yes')
  terminal.press('Enter')
  await terminal.shows(/ {2}todo milk deleted\n\[0\]/)
  expect(await terminal.run('pergola get todo milk')).toMatch(/^there is no todo "milk"\n.*\n\[1\]$/)
})

test('an upgrade plan prints the differences; neither the plan nor Ctrl-C at the prompt changes anything', async () => {
  const plan = await terminal.run('pergola plugin upgrade todo-1.1.0.tgz --plan')
  expect(plan).toMatch(/^ {2}todo 1\.0\.0 -> 1\.1\.0\n/)
  expect(plan).toMatch(/spec\.title maxLength 120 -> 80/)
  expect(plan).toMatch(/get secrets smtp/)
  expect(plan).toMatch(
    / {2}a plan, nothing has been changed\n {2}next {6}pergola plugin upgrade todo-1\.1\.0\.tgz --approve 'get secrets smtp'\n\[0\]$/,
  )
  terminal.type('clear; pergola plugin upgrade todo-1.1.0.tgz; echo "[$?]"')
  terminal.press('Enter')
  await terminal.shows(/Upgrade on .* \[y\/N\]$/)
  terminal.press('C-c')
  await terminal.shows(/\[130\]/)
  expect(await installation.done(['plugin', 'list'])).toMatch(/todo +1\.0\.0 +Started/)
})
