import { describe, expect, test } from 'vitest'
import { secret, t, withDefault } from './t.ts'

describe('a schema', () => {
  test('has its default, and the field may be left out', () => {
    const schema = t.Object({ state: withDefault(t.Enum(['open', 'done']), 'open') })
    expect(JSON.parse(JSON.stringify(schema))).toEqual({
      type: 'object',
      required: ['state'],
      properties: { state: { enum: ['open', 'done'], default: 'open' } },
    })
  })

  test('keeps what TypeBox knows of it when it gets a default, and is left as it was', () => {
    const plain = t.Optional(t.String())
    const schema = t.Object({ a: withDefault(plain, 'x') })
    expect(schema.required).toBeUndefined()
    expect(schema.properties.a).toMatchObject({ '~kind': 'String', default: 'x' })
    expect(plain).not.toHaveProperty('default')
  })

  test('may be a plain one', () => {
    expect(withDefault({ type: 'integer' } as const, 3)).toEqual({ type: 'integer', default: 3 })
  })

  test('is of a secret', () => {
    const schema = { type: 'string', format: 'password', writeOnly: true, description: 'Of the mail server' }
    expect(JSON.parse(JSON.stringify(secret({ description: 'Of the mail server' })))).toEqual(schema)
  })
})
