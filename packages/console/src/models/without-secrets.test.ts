import { expect, test } from 'vitest'
import { withoutSecrets } from './without-secrets.ts'

const schema = {
  properties: {
    title: { type: 'string' },
    token: { type: 'string', writeOnly: true },
    login: { $ref: '#/components/schemas/Login' },
    accounts: { type: 'array', items: { $ref: '#/components/schemas/Login' } },
    keys: { type: 'object', additionalProperties: { type: 'string', writeOnly: true } },
  },
  definitions: {
    Login: {
      type: 'object',
      properties: { user: { type: 'string' }, password: { type: 'string', format: 'password' } },
    },
  },
}

test('write-only values and passwords are left out at every depth', () => {
  const login = { user: 'ann', password: 'secret' }
  expect(
    withoutSecrets(schema, schema, { title: 'x', token: 't', login, accounts: [login], keys: { a: 'b' } }),
  ).toEqual({ title: 'x', login: { user: 'ann' }, accounts: [{ user: 'ann' }], keys: {} })
})
