import { describe, expect, test } from 'vitest'
import { defineModel } from '../model/model.ts'
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

describe('a reference', () => {
  const Event = defineModel({ apiVersion: 'hall.example.com/v1', kind: 'Event', plural: 'events', spec: t.Object({}) })
  const cases = [
    ['to a model', t.Ref(Event), { group: 'hall.example.com', plural: 'events' }],
    ['to a model by its name', t.Ref('hall.example.com/events'), { group: 'hall.example.com', plural: 'events' }],
    ['to users', t.Ref('users'), { group: '', plural: 'users' }],
  ] as const
  for (const [what, schema, target] of cases) {
    test(what, () => {
      const plain: unknown = JSON.parse(JSON.stringify(schema))
      expect(plain).toEqual({ type: 'string', 'x-reference': { ...target, onDelete: 'refuse' } })
    })
  }
})
