import { describe, expect, test } from 'vitest'
import { secret, t, withDefault } from './t.ts'

describe('a schema', () => {
  test('with a default makes its field optional', () => {
    const schema = t.Object({ state: withDefault(t.Enum(['open', 'done']), 'open') })
    expect(JSON.parse(JSON.stringify(schema))).toEqual({
      type: 'object',
      required: ['state'],
      properties: { state: { enum: ['open', 'done'], default: 'open' } },
    })
  })

  test('keeps its TypeBox kind when it gets a default, and the original is unchanged', () => {
    const plain = t.Optional(t.String())
    const schema = t.Object({ a: withDefault(plain, 'x') })
    expect(schema.required).toBeUndefined()
    expect(schema.properties.a).toMatchObject({ '~kind': 'String', default: 'x' })
    expect(plain).not.toHaveProperty('default')
  })

  test('may be plain JSON Schema', () => {
    expect(withDefault({ type: 'integer' } as const, 3)).toEqual({ type: 'integer', default: 3 })
  })

  test('of a secret is a write-only password string', () => {
    const schema = { type: 'string', format: 'password', writeOnly: true, description: 'Of the mail server' }
    expect(JSON.parse(JSON.stringify(secret({ description: 'Of the mail server' })))).toEqual(schema)
  })
})
