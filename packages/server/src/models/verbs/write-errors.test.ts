import { describe, expect, test } from 'vitest'
import { WriteConflict, type ConflictKind } from '../../store/write-conflict.ts'
import { createBuiltInModel } from '../definition/built-in-model.ts'
import { writeProblem } from './write-errors.ts'

const model = createBuiltInModel({
  group: 'g.example',
  version: 'v1',
  kind: 'Todo',
  singular: 'todo',
  plural: 'todos',
  schema: { properties: {} },
})

const stored = {
  name: 'milk',
  uid: '01890000-0000-7000-8000-000000000000',
  version: 3,
  generation: 1,
  createdAt: 0,
  storedAs: 'v1',
  data: Buffer.from('}'),
}

describe('a conflict in the store becomes', () => {
  const cases: readonly (readonly [kind: ConflictKind, reason: string, message: string])[] = [
    ['exists', 'AlreadyExists', 'todo "milk" exists already; choose another name'],
    ['duplicate', 'DuplicateIndexValue', 'todo "milk": the value "x" of spec.code is taken'],
    ['missing', 'NotFound', 'there is no todo "milk"'],
    ['version', 'VersionConflict', 'todo "milk" has changed meanwhile and is at version 3; read it again and retry'],
    ['uid', 'VersionConflict', 'todo "milk" has changed meanwhile and is at version 3; read it again and retry'],
  ]
  for (const [kind, reason, message] of cases) {
    test(`${reason} for ${kind}`, () => {
      const conflict = new WriteConflict(
        kind,
        { type: 'delete', model, name: 'milk' },
        { duplicate: { index: 'spec.code', value: 'x' }, stored },
      )
      expect(writeProblem(conflict, model)).toMatchObject({ reason, message })
    })
  }
})

test('any other error passes unchanged', () => {
  const error = new Error('x')
  expect(writeProblem(error, model)).toBe(error)
})
