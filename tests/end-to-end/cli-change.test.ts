import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { todo, todoModel } from './cli-todos.ts'

const patience = { timeout: 60_000, interval: 20 }
let installation: Installation
let edits = 0
beforeAll(async () => {
  installation = await startInstallation()
  await installation.done(['apply', '-f', 'model.yaml'], { files: { 'model.yaml': todoModel } })
})
beforeEach(async () => {
  const objects = ['milk', 'tea', 'soup'].map((name) => todo(name, `title: Buy ${name}`, '  labels: { team: red }\n'))
  await installation.done(['delete', 'todos', '--all', '--yes'])
  await installation.done(['apply', '-f', 'all.yaml'], { files: { 'all.yaml': objects.join('') } })
})
afterAll(() => installation[Symbol.asyncDispose]())

/** An editor that keeps what it is given as `seen-<n>.yaml`, then runs the n-th script on it as `$1`. */
function editorOf(scripts: readonly string[]): {
  readonly env: { readonly EDITOR: string }
  readonly seen: (at: number) => string
} {
  const { folder } = installation
  const name = `editor-${edits++}`
  const cases = scripts.map((script, at) => `${at}) ${script} ;;`).join('\n')
  const text = `#!/bin/sh
cd '${folder}'
n=$(cat ${name}.count 2>/dev/null || echo 0)
echo $((n + 1)) > ${name}.count
cp "$1" ${name}-$n.yaml
case $n in
${cases}
esac
`
  writeFileSync(join(folder, name), text, { mode: 0o755 })
  return { env: { EDITOR: join(folder, name) }, seen: (at) => readFileSync(join(folder, `${name}-${at}.yaml`), 'utf8') }
}

const titleOf = async (name: string) => {
  const { spec } = JSON.parse(await installation.done(['get', 'todo', name, '-o', 'json'])) as {
    spec: { title: string }
  }
  return spec.title
}

describe('pergola edit', () => {
  test('stores what was changed in the editor, and shows it', async () => {
    const { env, seen } = editorOf([`sed -i 's/Buy milk/Buy cream/; s/team: red/team: blue/' "$1"`])
    expect(await installation.done(['edit', 'todo', 'milk'], { env })).toBe(
      '  todo milk changed\n      spec.title            Buy milk -> Buy cream\n      metadata.labels.team  red -> blue\n',
    )
    expect(seen(0)).toMatch(/^#! The todo milk on 127\.0\.0\.1:\d+\. Save and close to store it\.\n/)
    expect(seen(0)).not.toMatch(/uid|creationTimestamp/)
  })

  test('changes nothing when the editor is closed without saving, or with an empty text', async () => {
    for (const script of ['true', ': > "$1"']) {
      const { env } = editorOf([script])
      expect(await installation.done(['edit', 'todo', 'milk'], { env })).toBe('  nothing has been changed\n')
    }
    const { env } = editorOf([`sed -i 's/Buy milk/Buy cream/' "$1"`])
    expect(await installation.done(['edit', 'todo', 'milk', '--plan'], { env })).toMatch(/milk would be changed/)
    expect(await titleOf('milk')).toBe('Buy milk')
  })

  test('shows errors as comments above their lines, until they are corrected', async () => {
    const { env, seen } = editorOf([
      `sed -i 's/^spec:/spec:\\n  colour: red/' "$1"`,
      `sed -i 's/  colour: red/  owner: [ann/' "$1"`,
      `sed -i 's/  owner: .ann/  owner: bob/; s/name: milk/name: other/' "$1"`,
      `sed -i 's/name: other/name: milk/' "$1"`,
    ])
    expect(await installation.done(['edit', 'todo', 'milk'], { env })).toMatch(/spec\.owner +\+ bob\n$/)
    expect(seen(1)).toMatch(/^#! not stored: the todo is not valid\n/)
    expect(seen(1)).toMatch(/\nspec:\n#! spec\.colour is not a known field\n {2}colour: red\n/)
    expect(seen(2)).toMatch(/\n {2}owner: \[ann\n#! Flow sequence/)
    expect(seen(2)).not.toMatch(/is not a known field/)
    expect(seen(3)).toMatch(/\n#! metadata\.name must stay milk\n {2}name: other\n/)
  })

  test('keeps the text in a file when its errors are not corrected', async () => {
    const { env } = editorOf([`sed -i 's/^spec:/spec:\\n  colour: red/' "$1"`, 'true'])
    const { code, stderr } = await installation.run(['edit', 'todo', 'milk'], { env })
    expect(code).toBe(1)
    const [, file = ''] = /your text is kept in (\S+)/.exec(stderr) ?? []
    expect(readFileSync(file, 'utf8')).toContain('colour: red')
    expect(await titleOf('milk')).toBe('Buy milk')
  })

  test('shows both sides of a conflict, and keeps what only others changed', async () => {
    const { folder, done, run } = installation
    const wait = 'touch editing; while [ ! -e changed ]; do sleep 0.05; done'
    const { env, seen } = editorOf([`${wait}; sed -i 's/Buy milk/Buy cream/' "$1"`, 'touch "$1"'])
    const editing = run(['edit', 'todo', 'milk'], { env, apart: true })
    await expect.poll(() => existsSync(join(folder, 'editing')), patience).toBe(true)
    await done(['patch', 'todo', 'milk', '--set', 'title=Buy oats', '--set', 'state=done'])
    writeFileSync(join(folder, 'changed'), '')
    expect(await editing).toMatchObject({ code: 0, stderr: '' })
    expect(seen(1)).toMatch(/#! Somebody else has changed it meanwhile: it is at version 1 now\./)
    expect(seen(1)).toMatch(
      /\n#! CONFLICT: spec\.title was changed on the server from "Buy milk" to "Buy oats"; yours is below\n {2}title: Buy cream\n/,
    )
    expect(seen(1)).toMatch(
      /\n#! spec\.state was changed on the server from "open" to "done", as below\n {2}state: done\n/,
    )
    expect(await done(['get', 'todo', 'milk'])).toMatch(/title: Buy cream\n {2}state: done\n/)
  })

  test('keeps the text when the object is deleted meanwhile', async () => {
    const { folder, done, run } = installation
    const wait = 'touch editing-2; while [ ! -e changed-2 ]; do sleep 0.05; done'
    const { env } = editorOf([`${wait}; sed -i 's/Buy milk/Buy cream/' "$1"`])
    const editing = run(['edit', 'todo', 'milk'], { env, apart: true })
    await expect.poll(() => existsSync(join(folder, 'editing-2')), patience).toBe(true)
    await done(['delete', 'todo', 'milk', '--yes'])
    writeFileSync(join(folder, 'changed-2'), '')
    const { code, stderr } = await editing
    expect([code, stderr]).toEqual([1, expect.stringMatching(/your text is kept in /)])
  })
})

describe('pergola patch', () => {
  test('sets and removes fields by their types, and shows the changes', async () => {
    const { done, run } = installation
    const due = '2030-03-01T10:00:00Z'
    expect(await done(['patch', 'todo', 'milk', '--set', 'title=7', '--set', `spec.due=${due}`])).toBe(
      `  todo milk changed\n      spec.title  Buy milk -> 7\n      spec.due    + ${due}\n`,
    )
    expect(await done(['patch', 'todos', 'milk', 'tea', '--remove', 'due', '--plan'])).toBe(
      `  todo milk would be changed\n      spec.due  - ${due}\n  todo tea unchanged\n  a plan, nothing has been changed\n`,
    )
    expect(await done(['patch', 'todo', 'tea', '-p', '[{"op":"replace","path":"/spec/title","value":"T"}]'])).toMatch(
      /spec\.title {2}Buy tea -> T/,
    )
    const wrong = await run(['patch', 'todo', 'tea', '--set', 'colour=red'])
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/colour +is not a known field/)])
    expect((await run(['patch', 'todo', 'tea'])).code).toBe(2)
    const some = await run(['patch', 'todos', 'nothing', 'tea', '--set', 'state=done'])
    expect(some).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/tea changed/),
      stderr: expect.stringMatching(/nothing/),
    })
  })
})

describe('pergola label and annotate', () => {
  test('set and remove, by name or by selector', async () => {
    const { done, run } = installation
    expect(await done(['label', 'todo', 'milk', 'team=blue', 'size=big'])).toBe(
      '  todo milk changed\n      metadata.labels.team  red -> blue\n      metadata.labels.size  + big\n',
    )
    expect(await done(['label', 'todos', '-l', 'team=red', 'team-'])).toMatch(/tea changed\n.*team.* - red\n/)
    expect(await done(['list', 'todos', '-l', 'team', '-o', 'name'])).toBe('milk\n')
    expect(await done(['annotate', 'todos', '--all', 'note=cold', '--plan'])).toMatch(
      /a plan, nothing has been changed/,
    )
    expect(await done(['annotate', 'todo', 'milk', 'note=cold'])).toMatch(/metadata\.annotations +\+ {"note":"cold"}/)
    expect((await run(['label', 'todo', 'milk'])).code).toBe(2)
    expect((await run(['label', 'todos', 'team=blue'])).stderr).toMatch(/name the objects, or select them/)
  })
})

describe('pergola get', () => {
  test('shows several objects, and says which are missing', async () => {
    const { done, run } = installation
    expect(await done(['get', 'todos', 'milk', 'tea', '-o', 'name'])).toBe('milk\ntea\n')
    expect((await done(['get', 'todos', 'milk', 'tea'])).split('---\n')).toHaveLength(2)
    const some = await run(['get', 'todos', 'milk', 'nothing', '-o', 'json'])
    expect([some.code, some.stderr]).toEqual([1, 'todo nothing: there is no todo "nothing"\n'])
    expect(JSON.parse(some.stdout)).toMatchObject({ items: [{ metadata: { name: 'milk' } }] })
  })
})

describe('pergola delete by selector', () => {
  test('shows what it selects; asks; deletes only that', async () => {
    const { done, run } = installation
    await done(['patch', 'todos', 'milk', 'soup', '--set', 'state=done'])
    expect(await done(['delete', 'todos', '--where', 'state=done', '--plan'])).toBe(
      '  2 todos: milk, soup\n  a plan, nothing has been changed\n',
    )
    const asked = await run(['delete', 'todos', '--where', 'state=done'])
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringMatching(/add --yes/)])
    expect(await done(['delete', 'todos', '--where', 'state=done', '--yes'])).toBe(
      '  2 todos: milk, soup\n  2 todos deleted\n',
    )
    expect(await done(['list', 'todos', '-o', 'name'])).toBe('tea\n')
    expect(await run(['delete', 'todos', '-l', 'team=none', '--yes'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '  no todos that this selects\n',
    })
    expect((await run(['delete', 'todos', 'tea', '--all', '--yes'])).code).toBe(2)
  })
})
