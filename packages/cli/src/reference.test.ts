import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { placeOf } from './completion/place.ts'
import { shellWords } from './completion/shell-words.ts'
import { examples } from './examples.ts'
import { createProgram } from './program.ts'
import { commandReference } from './reference.ts'
import { createTerminal } from './terminal/terminal.ts'

test('every command that changes a server has the option --plan', () => {
  const commands = commandReference()
  expect(commands.length).toBeGreaterThan(25)
  const withoutPlan = commands
    .filter(({ usage }) =>
      /(apply|edit|patch|label|annotate|import|delete|grant|revoke|add|disable|enable|reset-password|install|upgrade|rollback|settings|logout)\b/.test(
        usage,
      ),
    )
    .filter(({ usage }) => !usage.startsWith('pergola admin'))
    .filter(({ parameters }) => !parameters.some(({ name }) => name === '--plan'))
  expect(withoutPlan.map(({ usage }) => usage)).toEqual([])
})

test('every command that lists or shows objects has machine-readable output', () => {
  const readers = commandReference().filter(({ usage }) => / (list|get|show|whoami|can-i|who-can|doctor)\b/.test(usage))
  const withoutJson = readers.filter(({ parameters }) => !parameters.some(({ name }) => /--output|--json/.test(name)))
  expect(withoutJson.map(({ usage }) => usage)).toEqual([])
})

test('every command has two examples, which are valid', () => {
  const { stdin, stdout, stderr } = process
  const terminal = createTerminal({ stdin, stdout, stderr, variables: {} })
  const program = createProgram({ terminal, variables: {}, version: '' })
  for (const [words, lines] of Object.entries(examples)) {
    const command = words
      .split(' ')
      .reduce<Command | undefined>((above, word) => above?.commands.find((below) => below.name() === word), program)
    for (const line of lines) {
      const { operands, unknown } = command?.parseOptions(line.split(' ').slice(words.split(' ').length + 1)) ?? {}
      expect([line, unknown]).toEqual([line, []])
      const required = command?.registeredArguments.filter((argument) => argument.required).length
      expect([line, operands?.length]).toEqual([line, expect.toSatisfy((count: number) => count >= (required ?? 0))])
    }
  }
  const without = commandReference().filter((one) => one.examples.length < 2)
  expect(without.map(({ usage }) => usage)).toEqual([])
})

test('every command in the comparison with kubectl and gh is valid', () => {
  const { stdin, stdout, stderr } = process
  const terminal = createTerminal({ stdin, stdout, stderr, variables: {} })
  const program = createProgram({ terminal, variables: {}, version: '' })
  const page = readFileSync(join(import.meta.dirname, '../../../docs/coming-from/kubernetes.md'), 'utf8')
  const lines = [...page.matchAll(/`pergola ([^`]+)`/g)].map(([, line = '']) => line)
  expect(lines.length).toBeGreaterThan(40)
  for (const line of lines) {
    const { command, path } = placeOf(program, [...shellWords(line), ''])
    const { operands, unknown } = command.parseOptions([...shellWords(line)].slice(path.length))
    const required = command.registeredArguments.filter((argument) => argument.required).length
    expect([line, path.length > 0, unknown]).toEqual([line, true, []])
    expect([line, operands.length]).toEqual([line, expect.toSatisfy((count: number) => count >= required)])
  }
})
