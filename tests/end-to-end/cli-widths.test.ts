import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { todo, todoModel } from './cli-todos.ts'
import { openTerminal } from './tmux-terminal.ts'

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation()
  await installation.done(['apply', '-f', 'model.yaml'], { files: { 'model.yaml': todoModel } })
})
afterAll(() => installation[Symbol.asyncDispose]())

/** Changes the title, after somebody else has. */
const editor = (folder: string) => `#!/bin/sh
n=$(cat ${folder}/count 2>/dev/null || echo 0); echo $((n + 1)) > ${folder}/count
if [ $n = 0 ]; then pergola patch todo milk --set 'title=Buy oats' > /dev/null; fi
grep -A 1 CONFLICT "$1"
sed -i 's/title: .*/title: Buy cream/' "$1"
`

test.each([60, 80, 160])(
  'completion, a conflict, a deletion by selector and a broken import at %s columns',
  async (columns) => {
    const { env, folder, done } = installation
    const objects = ['milk', 'tea', 'soup'].map((name) => todo(name, `title: Buy ${name}`))
    await done(['delete', 'todos', '--all', '--yes'])
    await done(['apply', '-f', 'all.yaml'], { files: { 'all.yaml': objects.join('') } })
    writeFileSync(join(folder, 'editor'), editor(folder), { mode: 0o755 })
    writeFileSync(join(folder, 'count'), '0')
    using terminal = openTerminal({ ...env, EDITOR: join(folder, 'editor') }, folder, columns)

    await terminal.run('source <(pergola completion bash)')
    terminal.type('clear; pergola list todos --where st')
    terminal.press('Tab')
    await terminal.shows(/--where\s+state=$/)
    terminal.press('C-u')

    const edited = await terminal.run('pergola edit todo milk')
    // The editor shows a long comment on several lines.
    expect(edited.replaceAll(/\s/g, '')).toMatch(
      /#!CONFLICT:spec\.titlewaschangedontheserverfrom"Buymilk"to"Buyoats";yoursisbelowtitle:Buycream/,
    )
    expect(edited).toMatch(/ {2}todo milk changed\n {6}spec\.title {2}Buy oats -> Buy cream\n\[0\]$/)

    terminal.type('clear; pergola delete todos --where state=open; echo "[$?]"')
    terminal.press('Enter')
    await terminal.shows(/^ {2}3 todos: milk, soup, tea\n {2}Delete 3 todos on 127\.0\.0\.1:\d+\? \[y\/N\]$/m)
    terminal.press('Enter')
    await terminal.shows(/nothing has been deleted\n\[1\]/)

    const good = {
      apiVersion: 'todo.example.com/v1alpha1',
      kind: 'Todo',
      metadata: { name: 'rice' },
      spec: { title: 'Rice' },
    }
    const bad = { ...good, metadata: { name: 'salt' }, spec: { title: 'Salt', colour: 'white' } }
    writeFileSync(
      join(folder, 'broken.ndjson'),
      [bad, '{', good].map((line) => (line === '{' ? line : JSON.stringify(line))).join('\n'),
    )
    const imported = await terminal.run('pergola import broken.ndjson')
    expect(imported).toMatch(
      /^broken\.ndjson:1 todo salt: the todo is not valid\n {6}spec\.colour is not a known field\nbroken\.ndjson:2 is not JSON\n {2}1 created, 2 failed {2}\d+\.\d s\n\[1\]$/,
    )
    await done(['delete', 'todo', 'rice', '--yes'])
  },
)
