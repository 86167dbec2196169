import { expect, test } from 'vitest'
import { commandReference } from './reference.ts'

test('every command and all that it takes is described, and what changes a server has a plan', () => {
  const commands = commandReference()
  expect(commands.length).toBeGreaterThan(25)
  const planless = commands
    .filter(({ usage }) =>
      /(apply|delete|grant|revoke|add|disable|enable|reset-password|install|upgrade|rollback|settings|logout)\b/.test(
        usage,
      ),
    )
    .filter(({ usage }) => !usage.startsWith('pergola admin'))
    .filter(({ takes }) => !takes.some(({ name }) => name === '--plan'))
  expect(planless.map(({ usage }) => usage)).toEqual([])
})

test('what lists or shows something has a form for programs', () => {
  const shows = commandReference().filter(({ usage }) => / (list|get|show|whoami|can-i|who-can|doctor)\b/.test(usage))
  const formless = shows.filter(({ takes }) => !takes.some(({ name }) => /--output|--json/.test(name)))
  expect(formless.map(({ usage }) => usage)).toEqual([])
})
