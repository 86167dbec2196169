import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { packedProject } from './packed-source.ts'

const execute = promisify(execFile)
let installation: Installation
beforeAll(async () => {
  installation = await startInstallation()
  const files = { 'todo.tgz': await packedProject('examples/todo') }
  await installation.done(['plugin', 'install', 'todo.tgz', '--yes', ...(await approvals(files))], { files })
})
afterAll(() => installation[Symbol.asyncDispose]())

async function approvals(files: Readonly<Record<string, Buffer>>): Promise<readonly string[]> {
  const plan = await installation.run(['plugin', 'install', 'todo.tgz', '--plan'], { files })
  return [...plan.stdout.matchAll(/--approve '([^']+)'/g)].flatMap(([, name = '']) => ['--approve', name])
}

/** A program that uses the generated code, as a front end would. */
const program = `
import { connect, getSharesCode, getTodosAnyStats, ownTodos, postTodosNameShare, Todo } from './api.ts'

const { client, call } = connect({ url: process.argv[2] ?? '', token: process.argv[3] })
const made = await client(ownTodos).create({ title: 'Buy milk', owner: 'whoever' })
const live = client(Todo).live({ where: { 'spec.state': 'open' }, sort: 'spec.due' })
await live.ready
const { code } = await call(postTodosNameShare, { name: made.metadata.name })
const shared = await call(getSharesCode, { code })
const { open } = await call(getTodosAnyStats)
console.log(live.items.map(({ spec }) => spec.title), shared.title, open, made.spec.owner)
live.close()
`
/** Each line is a type error. */
const mistakes = [
  "client(Todo).live({ where: { 'spec.titel': 'x' } })",
  "client(Todo).live({ where: { 'spec.state': 7 } })",
  "client(Todo).live({ sort: 'spec.tags' })",
  'client(ownTodos).create({ titel: 1 })',
  'call(postTodosNameShare)',
  'call(getSharesCode, { cod: 1 })',
  'const { shut } = await call(getTodosAnyStats)',
]

test('the generated code compiles, works, and rejects mistakes at compile time', async () => {
  const { done, folder, url } = installation
  const printed = await done(['codegen', '--out', 'src/api.ts'])
  expect(printed).toMatch(
    /^ {2}src\/api\.ts {2}1 model, 1 collection of callers, 3 custom APIs\n {2}next {6}import \{ connect, Todo \} from '\.\/api\.ts'\n$/,
  )
  const source = join(folder, 'src')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(resolve('node_modules/@pergola'), join(folder, 'node_modules/@pergola'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(source, 'program.ts'), program)
  await check(folder, ['src/program.ts'])
  const wrong = mistakes.map((line) => `// @ts-expect-error\n${line}`).join('\n')
  const names = 'getSharesCode, getTodosAnyStats, ownTodos, postTodosNameShare, Todo, connect'
  writeFileSync(
    join(source, 'mistakes.ts'),
    `import { ${names} } from './api.ts'\nconst { client, call } = connect({ url: '' })\n${wrong}\nexport {}\n`,
  )
  await check(folder, ['src/mistakes.ts'])
  const token = await tokenOf()
  const { stdout } = await execute(process.execPath, ['--conditions=@pergola/source', 'src/program.ts', url, token], {
    cwd: folder,
  })
  expect(stdout).toBe("[ 'Buy milk' ] Buy milk 1 admin\n")
})

test('codegen writes the selected groups, to a file or stdout; an unknown group is an error', async () => {
  const { done, run } = installation
  const own = await done(['codegen', '--out', '-', '--group', ''])
  expect(own).toContain('export const ConfigMap: Served<{')
  expect(own).not.toContain('todo.example.com')
  expect(await run(['codegen', '--out', '-', '--group', 'none.example.com'])).toMatchObject({
    code: 2,
    stderr: 'there is nothing in the group "none.example.com"\n',
  })
})

test('--check compares the file with the server, and writes nothing', async () => {
  const { done, run, folder } = installation
  const at = ['codegen', '--out', 'checked.ts']
  expect(await run([...at, '--check'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'checked.ts does not exist\n  next      pergola codegen --out checked.ts\n',
  })
  await done(at)
  // The first line names the server, which may be another one in CI.
  const text = readFileSync(join(folder, 'checked.ts'), 'utf8').replace(/127\.0\.0\.1:\d+/, 'pergola.example.com')
  writeFileSync(join(folder, 'checked.ts'), text)
  expect(await done([...at, '--check'])).toBe('  checked.ts is up to date\n')
  const changed = text.replace('title', 'titel')
  writeFileSync(join(folder, 'checked.ts'), changed)
  const line = text.slice(0, text.indexOf('title')).split('\n').length
  const { code, stderr } = await run([...at, '--check'])
  expect([code, stderr]).toEqual([1, expect.stringContaining(`checked.ts is out of date, from line ${line}\n`)])
  expect(readFileSync(join(folder, 'checked.ts'), 'utf8')).toBe(changed)
})

async function check(folder: string, files: readonly string[]): Promise<void> {
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,esnext,dom']
  const more = ['--allowImportingTsExtensions', '--exactOptionalPropertyTypes', '--types', 'node', '--typeRoots']
  const args = [resolve('node_modules/.bin/tsc'), ...options, ...more, resolve('node_modules/@types'), ...files]
  await execute(process.execPath, args, { cwd: folder }).catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout)
  })
}

async function tokenOf(): Promise<string> {
  const file = join(installation.env['XDG_CONFIG_HOME'] ?? '', 'pergola/servers.json')
  const [, token = ''] = /"token": ?"([^"]+)"/.exec(readFileSync(file, 'utf8')) ?? []
  return token
}
