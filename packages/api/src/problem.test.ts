import { expect, test } from 'vitest'
import { ApiError, isApiError, problems, toProblem } from './problem.ts'

test('a problem takes status and title from the table and the rest from the error', () => {
  const error = new ApiError('AlreadyExists', 'roles "x" exists already', {
    errors: [{ pointer: '/metadata/name', field: 'metadata.name', rule: 'unique', message: 'is taken' }],
  })
  expect(toProblem(error, { instance: '/api/v1alpha1/roles', requestId: 'r1' })).toEqual({
    type: 'https://platform.run/problems/AlreadyExists',
    title: problems.AlreadyExists.title,
    status: 409,
    detail: 'roles "x" exists already',
    instance: '/api/v1alpha1/roles',
    reason: 'AlreadyExists',
    requestId: 'r1',
    errors: [{ pointer: '/metadata/name', field: 'metadata.name', rule: 'unique', message: 'is taken' }],
  })
})

test('a problem without field errors has no `errors` member', () => {
  expect(toProblem(new ApiError('NotFound', 'gone'), { instance: '/', requestId: 'r' })).not.toHaveProperty('errors')
})

test('an API error is recognised by its reason, not by its class', () => {
  expect(isApiError(new ApiError('Internal', 'x'))).toBe(true)
  expect(isApiError(Object.assign(new Error('x'), { reason: 'NotFound' }))).toBe(true)
  expect(isApiError(Object.assign(new Error('x'), { reason: 'Surprise' }))).toBe(false)
  expect(isApiError(Object.assign(new Error('x'), { reason: 'toString' }))).toBe(false)
  expect(isApiError(new Error('x'))).toBe(false)
  expect(isApiError({ reason: 'NotFound' })).toBe(false)
})
