import { describe, expect, test } from 'vitest'
import { WriteConflict, type ConflictKind } from '../store/write-conflict.ts'
import { createModel } from './model.ts'
import { toApiError } from './write-errors.ts'

const model = createModel({
  group: 'g.example',
  version: 'v1',
  kind: 'Todo',
  singular: 'todo',
  plural: 'todos',
  schema: { properties: {} },
})

describe('a conflict in the store becomes', () => {
  const cases: readonly (readonly [kind: ConflictKind, reason: string, message: string])[] = [
    ['exists', 'AlreadyExists', 'todo "milk" exists already; choose another name'],
    ['duplicate', 'DuplicateIndexValue', 'todo "milk": the value "x" of spec.code is taken'],
    ['missing', 'NotFound', 'there is no todo "milk"'],
    ['version', 'VersionConflict', 'todo "milk" has changed meanwhile; read it again and retry'],
    ['uid', 'VersionConflict', 'todo "milk" has changed meanwhile; read it again and retry'],
  ]
  for (const [kind, reason, message] of cases) {
    test(`${reason} for ${kind}`, () => {
      const conflict = new WriteConflict(
        kind,
        { type: 'delete', model, name: 'milk' },
        { duplicate: { index: 'spec.code', value: 'x' } },
      )
      expect(toApiError(conflict, model)).toMatchObject({ reason, message })
    })
  }
})

test('any other error passes unchanged', () => {
  const error = new Error('x')
  expect(toApiError(error, model)).toBe(error)
})
