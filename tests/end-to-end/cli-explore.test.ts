import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { todo } from './cli-todos.ts'
import { openTerminal } from './tmux-terminal.ts'

const model = `
apiVersion: plugin.platform.run/v1alpha1
kind: Model
spec:
  group: todo.example.com
  kind: Todo
  singular: todo
  plural: todos
  specRequired: true
  versions:
    - name: v1alpha1
      schema:
        properties:
          spec:
            type: object
            required: [title]
            properties:
              title: { type: string, minLength: 1, maxLength: 40, description: What has to be done }
              state: { enum: [open, done, 'b; $(touch x)'], default: open }
              owner: { type: string, x-reference: { group: '', plural: users } }
              due: { type: string, format: date-time, description: When it has to be done }
              lines: { type: array, items: { type: object, properties: { sku: { type: string } } } }
  indexes: [{ name: spec.state }, { name: spec.due }, { name: spec.title, unique: true }]
`
const role = `
apiVersion: v1alpha1
kind: Role
metadata: { name: reader }
rules: [{ apiGroups: [todo.example.com], resources: [todos], verbs: [get, list] }]
---
apiVersion: v1alpha1
kind: User
metadata: { name: ann }
---
apiVersion: v1alpha1
kind: RoleBinding
metadata: { name: ann-reader }
roleRef: { name: reader }
subjects: [{ name: ann }]
`

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation()
  const objects = ['milk', 'mint', 'tea'].map((name) => todo(name, `title: ${name}`)).join('')
  await installation.done(['apply', '-f', 'all.yaml'], { files: { 'all.yaml': `${model}---${role}${objects}` } })
})
afterAll(() => installation[Symbol.asyncDispose]())

const linesOf = (text: string) => text.split('\n').map((line) => line.trimEnd())

describe('pergola resources', () => {
  test('lists resources by group, with the verbs that the caller may use', async () => {
    const { done } = installation
    const lines = linesOf(await done(['resources']))
    expect(lines[0]).toMatch(/^ {2}NAME +SINGULAR +GROUP +KIND +YOU MAY$/)
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}todos +todo +todo\.example\.com +Todo +everything$/))
    expect(await done(['resources', '--group', 'todo.example.com', '-o', 'name'])).toBe('todos.todo.example.com\n')
    const { items } = JSON.parse(await done(['resources', '--group', 'todo.example.com', '-o', 'json'])) as {
      readonly items: readonly object[]
    }
    expect(items).toMatchObject([{ name: 'todos', mayUse: expect.arrayContaining(['deletecollection', 'watch']) }])
  })

  test('says which verbs somebody with fewer rights may use', async () => {
    const { done } = installation
    await done(['user', 'reset-password', 'ann', '--password-file', 'password'])
    const { url } = installation
    const env = { XDG_CONFIG_HOME: `${installation.folder}/ann` }
    await done(['login', url, '--username', 'ann', '--password-file', 'password'], { env })
    const lines = linesOf(await done(['resources'], { env }))
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}todos .* Todo +get list$/))
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}secrets .* nothing$/))
  })

  test('names the groups when there is no such group', async () => {
    const { run } = installation
    const { code, stderr } = await run(['resources', '--group', 'tod.example.com'])
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/there is no resource in the group .* todo\.example\.com/),
    ])
  })
})

describe('pergola explain', () => {
  test('shows a field with its type, constraints, index, description and an example', async () => {
    const { done } = installation
    expect(linesOf(await done(['explain', 'todos.spec.due']))).toEqual([
      '  todos.spec.due  string, date-time',
      '  When it has to be done',
      '',
      '  needed    no',
      "  indexed   yes: --where 'due=2030-03-01T09:00:00Z', --sort due",
      '',
      '  example',
      '    due: 2030-03-01T09:00:00Z',
      '',
    ])
    const title = await done(['explain', 'todo.todo.example.com.spec.title'])
    expect(title).toMatch(/needed {4}yes\n {2}must be {3}1 to 40 characters\n {2}indexed {3}yes, unique/)
    const state = await done(['explain', 'todos.spec.state'])
    expect(state).toMatch(/needed {4}no\n {2}default {3}"open"\n {2}one of {4}open, done, /)
    expect(await done(['explain', 'todos.spec.owner'])).toMatch(/names {5}an object of users/)
    expect(await done(['explain', 'todos.spec.lines[].sku'])).toMatch(/^ {2}todos\.spec\.lines\.sku {2}string/)
    expect(JSON.parse(await done(['explain', 'todos.spec.due', '-o', 'json']))).toMatchObject({
      field: 'spec.due',
      index: { name: 'spec.due' },
    })
  })

  test('shows all fields of a resource, and an example that can be applied', async () => {
    const { done } = installation
    const shown = await done(['explain', 'todos'])
    expect(shown).toMatch(/^ {2}Todo, todo\.example\.com\/v1alpha1\n/)
    expect(shown).toMatch(/\n {4}due +string, date-time +yes +When it has to be done\n/)
    const [, example = ''] = shown.split('  example\n')
    const files = { 'example.yaml': example.replaceAll(/^ {4}/gm, '') }
    expect(await done(['apply', '-f', 'example.yaml'], { files })).toBe('  todo my-todo created\n')
    await done(['delete', 'todo', 'my-todo', '--yes'])
  })

  test('names similar fields and resources', async () => {
    const { run } = installation
    expect((await run(['explain', 'todos.spec.titel'])).stderr).toBe(
      'todos.spec has no field "titel"; did you mean title?\n',
    )
    expect((await run(['explain', 'todoes.spec'])).stderr).toMatch(/did you mean todos or todo/)
  })
})

describe('completion', () => {
  const completed = async (...words: readonly string[]) => {
    const { stdout, stderr, code } = await installation.run(['__complete', 'zsh', ...words], { apart: true })
    expect([code, stderr]).toEqual([0, ''])
    return linesOf(stdout)
      .filter((line) => line !== '')
      .map((line) => line.split('\t')[0])
  }

  test('knows commands, options, resources, names, fields and values', async () => {
    expect(await completed('expl')).toEqual(['explain'])
    expect(await completed('plugin', 'ins')).toEqual(['install'])
    expect(await completed('list', 'todos', '--wh')).toEqual(['--where'])
    expect(await completed('list', 'todos', '-o', 'j')).toEqual(expect.arrayContaining(['json']))
    expect(await completed('list', 'tod')).toEqual(['todos'])
    expect(await completed('get', 'todo', 'mi')).toEqual(['milk', 'mint'])
    expect(await completed('list', 'todos', '--where', 'st')).toEqual([':open', 'state='])
    expect(await completed('list', 'todos', '--where', 'state=')).toEqual([
      'state=open',
      'state=done',
      'state=b; $(touch x)',
    ])
    expect(await completed('list', 'todos', '--sort', '-d')).toEqual(['-due'])
    expect(await completed('explain', 'todos.spec.d')).toEqual(['todos.spec.due'])
    expect(await completed('grant', 'a')).toEqual(['admin', 'ann'])
    expect(await completed('apply', '-f', '')).toEqual([':files'])
  })

  test('escapes values in bash, which inserts them as they are', async () => {
    const line = 'pergola list todos --where state=b'
    const { stdout } = await installation.run(['__complete', 'bash', line, `${line.length}`], { apart: true })
    expect(stdout).toBe('b\\;\\ \\$\\(touch\\ x\\)\n')
  })

  test('completes at a terminal in bash', async () => {
    const { env, folder } = installation
    using terminal = openTerminal(env, folder)
    await terminal.run('source <(pergola completion bash)')
    terminal.type('clear; pergola get todo te')
    terminal.press('Tab')
    await terminal.shows(/pergola get todo tea$/)
    terminal.press('C-u')
    terminal.type('clear; pergola list todos --where sta')
    terminal.press('Tab')
    await terminal.shows(/--where state=$/)
    terminal.type('d')
    terminal.press('Tab')
    await terminal.shows(/--where state=done$/)
    expect(terminal.screen()).toMatch(/pergola list todos --where state=done$/)
  })

  test('uses the cache while the server is away, and is silent about everything else', async () => {
    await completed('get', 'todo', 'milk')
    installation.server.signal('SIGKILL')
    await installation.server.exited
    expect(await completed('list', 'tod')).toEqual(['todos'])
    expect(await completed('get', 'todo', 'milk')).toEqual(['milk'])
    expect(await completed('get', 'todo', 'never-asked')).toEqual([])
    expect(await completed('expl')).toEqual(['explain'])
  })
})
