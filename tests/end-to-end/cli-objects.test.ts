import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { startPergola } from './pergola-process.ts'
import { todo, todoModel } from './cli-todos.ts'

/** Long, because commands run in separate processes on a machine that may be busy. */
const patience = { timeout: 60_000 }

let installation: Installation
let made = ''
beforeAll(async () => {
  installation = await startInstallation()
  const milk = todo('milk', 'title: Buy milk\nowner: ann\ndue: 2030-03-01T10:00:00Z')
  const tea = todo('tea', 'title: Make tea\nstate: done')
  // Out of order on purpose: apply must create roles and users before bindings.
  const binding = `---
apiVersion: v1alpha1
kind: RoleBinding
metadata: { name: ann-reader }
roleRef: { name: reader }
subjects: [{ name: ann }]
---
apiVersion: v1alpha1
kind: Role
metadata: { name: reader }
rules: [{ apiGroups: [todo.example.com], resources: [todos], verbs: [get, list, watch] }]
---
apiVersion: v1alpha1
kind: User
metadata: { name: ann }
`
  made = await installation.done(['apply', '-f', 'all.yaml'], {
    files: { 'all.yaml': milk + tea + binding + '---' + todoModel },
  })
})
afterAll(() => installation[Symbol.asyncDispose]())

describe('pergola list', () => {
  test('prints a table of the title and the indexed fields; accepts plural, singular and group, selectors and sort', async () => {
    const { done, run } = installation
    const table = await done(['list', 'todos', '--sort', 'metadata.name'])
    expect(table.replaceAll(/\d+s$/gm, '3s').split('\n')).toEqual([
      '  NAME  TITLE     STATE  DUE               AGE',
      '  milk  Buy milk  open   2030-03-01 10:00  3s',
      '  tea   Make tea  done                     3s',
      '',
    ])
    expect(await done(['list', 'todo', '--where', 'state=done', '-o', 'name'])).toBe('tea\n')
    const either = ['--any-of', 'state=done,!due', '--any-of', 'metadata.name=none']
    expect(await done(['list', 'todo', ...either, '-o', 'name'])).toBe('tea\n')
    expect(await done(['list', 'todos.todo.example.com', '--sort', '-metadata.name', '-o', 'name'])).toBe('tea\nmilk\n')
    const { items } = JSON.parse(await done(['list', 'todos', '-o', 'json'])) as { items: object[] }
    expect(items).toHaveLength(2)
    expect(await run(['list', 'todoes'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'there is no resource "todoes"; did you mean todos or todo?\n',
    })
  })

  test('with --expand shows the titles of the objects that references name', async () => {
    const { done, run } = installation
    const reference = '{ type: string, x-reference: { group: todo.example.com, plural: todos } }'
    const notes = `
apiVersion: plugin.platform.run/v1alpha1
kind: Model
metadata: { name: notes-a5uueg6dg2 }
spec:
  { group: notes.example.com, kind: Note, singular: note, plural: notes, versions: [{ name: v1, schema:
  { properties: { spec: { type: object, properties: { todo: ${reference} } } } } }] }
---
apiVersion: notes.example.com/v1
kind: Note
metadata: { name: one }
spec: { todo: milk }
`
    await done(['apply', '-f', 'notes.yaml'], { files: { 'notes.yaml': notes } })
    const table = await done(['list', 'notes', '--expand', 'spec.todo'])
    expect(table).toMatch(/NAME +TODO +TODO TITLE +AGE\n +one +milk +Buy milk/)
    const listed = JSON.parse(await done(['list', 'notes', '--expand', 'spec.todo', '-o', 'json'])) as object
    expect(listed).toMatchObject({ expanded: { 'todos.todo.example.com': { milk: { spec: { title: 'Buy milk' } } } } })
    const refused = await run(['list', 'notes', '--expand', 'spec.todo', '-o', 'yaml'])
    expect([refused.code, refused.stderr]).toEqual([2, '--expand is only for -o table and -o json\n'])
    await done(['delete', 'note', 'one', '--yes'])
  })

  test('with --watch and --where says that an object left the selection', async () => {
    const { env, folder, done } = installation
    const files = { 'soup.yaml': todo('soup', 'title: Cook'), 'done.yaml': todo('soup', 'title: Cook\nstate: done') }
    await done(['apply', '-f', 'soup.yaml'], { files })
    const args = ['list', 'todos', '--watch', '--where', 'state=open']
    await using watching = startPergola({ args, directory: folder, env })
    await expect.poll(watching.stdout, patience).toMatch(/present +soup/)
    await done(['apply', '-f', 'done.yaml'])
    await expect.poll(watching.stdout, patience).toMatch(/\n {2}left the selection +soup/)
    await done(['delete', 'todo', 'soup', '--yes'])
  })

  test('with --watch prints changes, and exits with 130 on Ctrl-C', async () => {
    const { env, folder, done } = installation
    await using watching = startPergola({ args: ['list', 'todos', '--watch'], directory: folder, env })
    await expect.poll(watching.stdout, patience).toMatch(/present {2}milk/)
    await done(['apply', '-f', 'bread.yaml'], { files: { 'bread.yaml': todo('bread', 'title: Bake') } })
    await expect.poll(watching.stdout, patience).toMatch(/\n {2}added {4}bread +Bake/)
    await done(['delete', 'todo', 'bread', '--yes'])
    await expect.poll(watching.stdout, patience).toMatch(/\n {2}deleted {2}bread +Bake/)
    watching.signal('SIGINT')
    expect(await watching.exited).toBe(130)
    expect(watching.stderr()).toBe('')
  })

  test('has machine-readable output, and says when nothing is selected', async () => {
    const { done, run } = installation
    expect(await done(['list', 'todos', '-o', 'yaml', '--where', 'state=done'])).toMatch(/^apiVersion: todo/)
    expect(JSON.parse(await done(['get', 'todo', 'tea', '-o', 'json']))).toMatchObject({ spec: { title: 'Make tea' } })
    expect(await run(['list', 'todos', '--label', 'team=blue'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '  no todos that this selects\n',
    })
    expect(await run(['list', 'todos', '--nonconforming', '-o', 'name'])).toMatchObject({ code: 0, stdout: '' })
    expect(await run(['list', 'todos', '--where', 'owner=ann'])).toMatchObject({ code: 1, stdout: '' })
    expect(await run(['list', 'todos', '--watch', '--limit', '3'])).toMatchObject({ code: 2, stdout: '' })
    expect(await run(['list', 'todos', '--limit', 'none'])).toMatchObject({ code: 2, stdout: '' })
    expect(await run(['delete', 'todos'])).toMatchObject({ code: 2 })
    expect(await run(['delete', 'todos', 'tea', '-f', 'all.yaml', '--plan'])).toMatchObject({ code: 2 })
    const some = await run(['delete', 'todos', 'tea', 'nothing', '--plan'])
    expect(some).toMatchObject({ code: 1, stderr: 'todo nothing: there is no todo "nothing"\n' })
    expect(some.stdout).toContain('  todo tea would be deleted\n  1 to delete: a plan')
  })

  test('and get name the missing object and the next command', async () => {
    const { run } = installation
    expect(await run(['get', 'todo', 'nothing'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'there is no todo "nothing"\n  next      pergola list todos.todo.example.com\n',
    })
  })
})

describe('pergola apply', () => {
  test('creates models before their objects, and users and roles before bindings', () => {
    expect(made).toContain('  todo milk created\n')
    expect(made).toContain('  6 created ')
  })

  test('accepts the output of get, prints the changes, and rejects an old version', async () => {
    const { done, run, folder } = installation
    const read = await done(['get', 'todo', 'milk'])
    expect(read).toMatch(/^apiVersion: todo\.example\.com\/v1alpha1\nkind: Todo\nmetadata:\n {2}name: milk\n/)
    const edited = read.replace('state: open', 'state: done')
    const files = { 'milk.yaml': edited, 'stale.yaml': read.replace('Buy milk', 'Buy oats') }
    const change = '  todo milk changed\n      spec.state  open -> done\n'
    expect(await done(['apply', '-f', 'milk.yaml', '--plan'], { files })).toBe(
      `${change.replace('milk changed', 'milk would be changed')}  1 changed: a plan, nothing has been changed\n`,
    )
    expect(await done(['get', 'todo', 'milk'])).toBe(read)
    expect(await done(['apply', '-f', 'milk.yaml'])).toBe(change)
    expect(await done(['apply', '-f', 'milk.yaml'])).toBe('  todo milk unchanged\n')
    const refused = await run(['apply', '-f', 'stale.yaml'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('stale.yaml:1 todo milk: todo "milk" is at version 1')
    expect(refused.stderr).toContain('pergola get todos.todo.example.com milk')
    expect(readFileSync(join(folder, 'milk.yaml'), 'utf8')).toBe(edited)
  })

  test('names file, line and field of a rejected object, and applies the others', async () => {
    const { run, done } = installation
    const files = { 'some.yaml': todo('wrong', 'title: Wrong\ncolour: red') + todo('right', 'title: Right') }
    const ended = await run(['apply', '-f', 'some.yaml'], { files, apart: true })
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stdout).toMatch(/^ {2}todo right created\n {2}1 created, 1 failed/)
    expect(ended.stderr).toMatch(
      /^some\.yaml:2 todo wrong: the todo is not valid\n {6}some\.yaml:8 spec\.colour is not a known field\n$/,
    )
    expect(await done(['delete', '-f', 'some.yaml', '--plan']).catch(String)).toContain('nothing has been changed')
    expect(await done(['delete', 'todos', 'right', '--yes'])).toBe('  todo right deleted\n')
  })

  test('sends nothing if a file cannot be parsed', async () => {
    const { run } = installation
    const files = { 'good.yaml': todo('good', 'title: Good'), 'broken.yaml': 'apiVersion: v1\nkind: [\n' }
    const ended = await run(['apply', '-f', 'good.yaml', '-f', 'broken.yaml'], { files })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/broken\.yaml:\d/)
    expect(await run(['get', 'todo', 'good'])).toMatchObject({ code: 1 })
    const unknown = await run(['apply', '-f', 'a.yaml'], {
      files: {
        'a.yaml': `${todo('good', 'title: Good')}---\napiVersion: v1alpha1\nkind: Rolle\nmetadata: { name: a }\n`,
      },
    })
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toContain('there is no Rolle in v1alpha1; did you mean Role?')
    expect(await run(['get', 'todo', 'good'])).toMatchObject({ code: 1 })
  })

  test('never prints the data of a secret', async () => {
    const { done } = installation
    const secret = (value: string) =>
      `apiVersion: v1alpha1\nkind: Secret\nmetadata: { name: smtp }\ndata: { password: ${value} }\n`
    const apply = (value: string) => done(['apply', '-f', 'secret.yaml'], { files: { 'secret.yaml': secret(value) } })
    expect(await apply('first-one')).toBe('  secret smtp created\n')
    expect(await apply('first-one')).toBe('  secret smtp unchanged\n')
    expect(await apply('another-one')).toBe('  secret smtp changed\n      data.password  another value (not shown)\n')
  })

  test('applies a thousand objects from stdin and reports them in order', async () => {
    const { env, folder, done } = installation
    const many = Array.from({ length: 1_000 }, (_, at) => todo(`many-${at}`, `title: Number ${at}`)).join('')
    const command = join(import.meta.dirname, '../../packages/cli/src/main.ts')
    const applying = spawn(process.execPath, ['--conditions=@pergola/source', command, 'apply', '-f', '-'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    applying.stdin.end(many)
    let printed = ''
    applying.stdout.on('data', (chunk) => (printed += String(chunk)))
    await once(applying, 'close')
    const lines = printed.split('\n')
    expect(lines.slice(0, 1_000)).toEqual(Array.from({ length: 1_000 }, (_, at) => `  todo many-${at} created`))
    expect(lines[1_000]).toMatch(/^ {2}1000 created {2}\d/)
    const names = (await done(['list', 'todos', '-o', 'name', '--limit', '900'])).trim().split('\n')
    expect(new Set(names).size).toBe(900)
  })
})

test('pergola delete asks for confirmation, and deletes nothing without a terminal', async () => {
  const { run, done } = installation
  expect(await run(['delete', 'todo', 'tea'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'cannot prompt without a terminal; add --yes, or --plan to see what it would do\n',
  })
  expect(await done(['delete', 'todo', 'tea', '--plan'])).toContain('1 to delete: a plan, nothing has been changed')
  expect(await done(['get', 'todo', 'tea', '-o', 'name'])).toBe('tea\n')
})

test('pergola list exits quietly when its pipe is closed', async () => {
  const { env, folder } = installation
  const command = `"${process.execPath}" --conditions=@pergola/source "${join(import.meta.dirname, '../../packages/cli/src/main.ts')}" list todos -o json | head -1`
  const output = execFileSync('bash', ['-o', 'pipefail', '-c', `${command}; echo $?`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect(output).toBe('{"items":[\n0\n')
})
