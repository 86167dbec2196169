import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, startInstallation, type Installation } from './cli-installation.ts'
import { todoModel } from './cli-todos.ts'

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation()
  const role = `---
apiVersion: v1alpha1
kind: Role
metadata:
  name: todo-view
  labels: { platform.run/role-template: "true" }
rules: [{ apiGroups: [todo.example.com], resources: [todos], verbs: [get, list, watch] }]
---
apiVersion: v1alpha1
kind: Role
metadata:
  name: todo-manage
  labels: { platform.run/role-template: "true" }
rules: [{ apiGroups: [todo.example.com], resources: [todos], verbs: ["*"] }]
`
  await installation.done(['apply', '-f', 'all.yaml'], { files: { 'all.yaml': todoModel + role } })
})
afterAll(() => installation[Symbol.asyncDispose]())

test('user add, grant, can-i, token and revoke work together, and denials say what to do', async () => {
  const { done, run, url, folder } = installation
  expect(await done(['user', 'add', 'boss', '--plan'])).toBe(
    '  user boss would be created\n  a plan, nothing has been changed\n',
  )
  expect(await done(['user', 'add', 'boss', '--password-file', 'password'])).toMatch(
    /^ {2}user boss created\n {2}next /,
  )
  expect(await run(['grant', 'boss', 'todo-vew'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('there is no role "todo-vew"') as string,
  })
  expect(await done(['grant', 'boss', 'todo-view', '--plan'])).toContain('nothing has been changed')
  expect(await run(['get', 'rolebinding', 'boss-todo-view'])).toMatchObject({ code: 1 })
  expect(await done(['grant', 'boss', 'todo-view'])).toMatch(/^ {2}rolebinding boss-todo-view created\n {2}next /)

  const no = await run(['can-i', 'delete', 'todos', '--as', 'boss'])
  expect(no).toEqual({
    code: 1,
    stderr: '',
    stdout: [
      '  no  boss may not delete todos in todo.example.com',
      '      holds      authenticated; todo-view (rolebinding boss-todo-view)',
      '      nearest    todo-view allows get, list, watch but not delete; todo-manage allows delete',
      '      next       pergola grant boss todo-manage',
      '',
    ].join('\n'),
  })
  expect((await run(['can-i', 'get', 'todos', '--as', 'admn'])).stderr).toBe(
    'there is no user "admn"\n  next      pergola user list\n',
  )
  expect(await done(['who-can', 'list', 'todos'])).toMatch(/\n {2}todo-view +1 +boss\n/)

  const env = { XDG_CONFIG_HOME: `${folder}/boss` }
  await done(['login', url, '--username', 'boss', '--password-file', 'password'], { env })
  expect((await run(['list', 'todos'], { env })).code).toBe(0)
  const narrow = ['--description', 'report', '--role', 'todo-view', '--expires', '1h']
  const token = (await done(['token', 'create', ...narrow, '-o', 'token'], { env })).trim()
  const read = await fetch(`${url}/apis/todo.example.com/v1alpha1/todos`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(read.status).toBe(200)
  expect(await run(['token', 'create', '--expires', 'soon'], { env })).toMatchObject({ code: 2 })
  expect(await done(['token', 'list'], { env })).toMatch(/\n {2}token-\w+ +report +todo-view +20/)
  const tokenName = (await done(['token', 'list', '-o', 'name'], { env })).trim()
  expect(await done(['token', 'delete', tokenName], { env })).toContain(`token ${tokenName} deleted`)
  expect(await done(['token', 'list'], { env })).toContain('you have no tokens')
  expect(await run(['delete', 'todo', 'milk', '--yes'], { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^boss may not delete todos "milk" in todo\.example\.com.*\n {2}next {6}pergola can-i delete todos\.todo\.example\.com milk\n$/,
    ) as string,
  })
  expect(await done(['revoke', 'boss', 'todo-view'])).toContain('rolebinding boss-todo-view deleted')
  expect((await run(['list', 'todos'], { env })).code).toBe(1)
  expect(await done(['user', 'disable', 'boss'])).toContain('signed out everywhere')
  expect((await run(['list', 'todos'], { env })).code).toBe(4)
})

test('revoke removes one of several subjects; a generated password is shown once', async () => {
  const { done, server } = installation
  const made = await done(['user', 'add', 'ann', '--generate', '--display-name', 'Ann'])
  const [, secret = ''] = /password {2}(\S+) {2}\(shown only now\)/.exec(made) ?? []
  expect(secret.length).toBeGreaterThan(20)
  expect(server.stderr()).not.toContain(secret)
  await done(['user', 'add', 'cat', '--no-password'])
  const binding = `apiVersion: v1alpha1
kind: RoleBinding
metadata: { name: readers }
roleRef: { name: todo-view }
subjects: [{ name: ann }, { name: cat }]
`
  await done(['apply', '-f', 'readers.yaml'], { files: { 'readers.yaml': binding } })
  expect(await done(['revoke', 'ann', 'todo-view'])).toContain('rolebinding readers changed')
  expect(await done(['get', 'rolebinding', 'readers'])).toMatch(/subjects:\n {2}- name: cat\n/)
  expect(await done(['user', 'reset-password', 'ann', '--password-file', 'password'])).toContain(
    'signed out everywhere',
  )
  expect(await done(['user', 'list', '-o', 'name'])).toBe('admin\nann\nboss\ncat\n')
  expect(await done(['role', 'list'])).toMatch(/\n {2}todo-view +template\n/)
  expect(password).not.toBe(secret)
})

test('commands have JSON output, and conflicting requests fail with a reason', async () => {
  const { done, run } = installation
  expect(await done(['can-i', 'list', 'todos'])).toMatch(/^ {2}yes {2}admin may list todos .*\n {6}because /)
  expect(JSON.parse(await done(['can-i', 'list', 'todos', '-o', 'json']))).toMatchObject({ allowed: true })
  expect(JSON.parse(await done(['who-can', 'list', 'todos', '-o', 'json']))).toMatchObject({
    roles: expect.arrayContaining([expect.objectContaining({ name: 'todo-view', users: ['cat'] })]) as object,
  })
  expect(await done(['who-can', 'get', '/livez'])).toMatch(/\n {2}anonymous +0 +everybody\n/)
  expect(JSON.parse(await done(['role', 'list', '--all', '-o', 'json']))).toHaveProperty('items')
  expect(await done(['role', 'list', '-o', 'name'])).not.toContain('anonymous')
  expect(await done(['list', 'roles'])).toMatch(/^ *todo-view /m)
  expect(await done(['list', 'roles'])).not.toMatch(/^ *(anonymous|authenticated) /m)
  expect(await done(['list', 'roles', '--where', 'metadata.name=anonymous'])).toMatch(/^ *anonymous /m)
  expect(await done(['user', 'reset-password', 'cat', '--plan'])).toContain('nothing has been changed')
  expect(await done(['user', 'enable', 'boss'])).toContain('user boss enabled')
  expect(await done(['grant', 'ann', 'todo-view'])).toContain('rolebinding ann-todo-view created')
  expect(await done(['grant', 'ann', 'todo-view'])).toContain('unchanged: ann holds todo-view by it')
  const words = 'the rights of contributor come with the plugin content'
  expect(await done(['grant', 'ann', 'contributor'])).toContain(words)
  expect((await run(['can-i', 'list', 'posts.content.platform.run', '--as', 'ann'])).stdout).toContain(words)
  const shared = `apiVersion: v1alpha1
kind: RoleBinding
metadata: { name: cat-todo-manage }
roleRef: { name: todo-manage }
subjects: [{ name: ann }]
---
apiVersion: v1alpha1
kind: RoleBinding
metadata: { name: cat-author }
roleRef: { name: todo-view }
subjects: [{ name: ann }]
`
  await done(['apply', '-f', 'shared.yaml'], { files: { 'shared.yaml': shared } })
  expect(await done(['grant', 'cat', 'todo-manage'])).toContain('rolebinding cat-todo-manage changed')
  expect((await run(['grant', 'cat', 'author'])).stderr).toContain('already exists and grants todo-view')
  expect((await run(['revoke', 'cat', 'author'])).stderr).toContain('no rolebinding grants author to cat')
  expect((await run(['user', 'add', 'ann', '--no-password'])).stderr).toContain('exists already')
  expect((await run(['user', 'add', 'dan'])).code).toBe(2)
  for (const plan of [['--plan'], []]) {
    const files = { short: 'short\n' }
    expect(await run(['user', 'add', 'dora', '--password-file', 'short', ...plan], { files })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'the password must have 8 to 1024 characters; nothing has been changed\n',
    })
  }
  expect((await run(['get', 'user', 'dora'])).stderr).toContain('there is no user "dora"')
})

test('a user with few rights sees only what it may read', async () => {
  const { done, run, url, folder } = installation
  await done(['user', 'add', 'eve', '--password-file', 'password'])
  const env = { XDG_CONFIG_HOME: `${folder}/eve` }
  await done(['login', url, '--username', 'eve', '--password-file', 'password'], { env })
  expect(await done(['whoami'], { env })).toContain('none but those of everybody who is signed in')
  const no = await run(['can-i', 'list', 'users'], { env })
  expect(no).toMatchObject({ code: 1, stdout: expect.stringMatching(/holds +authenticated\n/) as string })
  expect(await run(['can-i', 'list', 'users', '--as', 'ann'], { env })).toMatchObject({ code: 1, stdout: '' })
  expect((await run(['who-can', 'list', 'users'], { env })).stderr).toContain('next      pergola can-i create whocan')
  expect((await run(['plugin', 'list'], { env })).stderr).toContain('pergola can-i list plugins')
  const doctor = await run(['doctor'], { env })
  expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('warn    started') as string })
  expect(doctor.stdout).toMatch(/warn {4}details .*\n +ask for a role that allows get on \/readyz\/verbose\n/)
})

test('sessions are listed and ended: of oneself, of another user, and of everybody', async () => {
  const { done, run, url, folder } = installation
  await done(['user', 'add', 'fay', '--password-file', 'password'])
  const env = { XDG_CONFIG_HOME: `${folder}/fay` }
  const login = () => done(['login', url, '--username', 'fay', '--password-file', 'password'], { env })
  await login()
  const own = await done(['session', 'list'], { env })
  expect(own).toMatch(/^ {2}ID .*\n {2}[0-9a-f-]{36} \(this one\) {2}fay /)
  expect(await done(['session', 'list', '--user', 'fay', '-o', 'name'])).toMatch(/^[0-9a-f-]{36}\n$/)
  expect(await done(['session', 'list', '--all'])).toMatch(/ fay [^]* admin /)
  expect((await run(['session', 'list', '--all'], { env })).stderr).toContain(
    'pergola can-i list sessions.api.platform.run',
  )
  expect((await run(['session', 'end', '--user', 'admin', '--all'], { env })).stderr).toContain(
    'pergola can-i delete users/sessions admin',
  )
  expect(await run(['session', 'end'])).toMatchObject({ code: 2 })
  expect(await run(['session', 'end', '--all'])).toMatchObject({ code: 2 })

  expect(await done(['session', 'end', '--user', 'fay', '--all', '--plan'])).toContain('1 session of fay would end\n')
  expect(await done(['whoami'], { env })).toContain('fay')
  expect(await done(['session', 'end', '--user', 'fay', '--all'])).toBe(
    '  1 session of fay ended; tokens of fay are still accepted\n',
  )
  await expect.poll(async () => (await run(['whoami'], { env })).code).toBe(4)
  await login()
  const id = (await done(['session', 'list', '-o', 'name'], { env })).trim()
  expect(await done(['session', 'end', id], { env })).toBe(`  session ${id} ended\n`)
  await expect.poll(async () => (await run(['whoami'], { env })).code).toBe(4)
})
