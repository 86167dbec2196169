import { describe, expect, test } from 'vitest'
import type { Cursor } from '../../store/store.ts'
import { continueToken, pagingOf } from './paging.ts'

const pages = (text: string) => pagingOf(new URLSearchParams(text), { group: 'a.example', plural: 'bs' })

describe('parses', () => {
  const cases: readonly (readonly [query: string, paging: object])[] = [
    ['', { page: 1, exactTotal: false }],
    ['page=1', { page: 1 }],
    ['size=20', { page: 1, size: 20 }],
    ['page=3&size=20', { page: 3, size: 20 }],
    ['size=999999999', { size: 999_999_999 }],
    ['exactTotal=true', { exactTotal: true }],
    ['exactTotal=false', { exactTotal: false }],
  ]
  for (const [query, paging] of cases) {
    test(query || 'everything', () => {
      const found = pages(query)
      expect(found).toMatchObject(paging)
      if (!query.includes('size')) expect(found).not.toHaveProperty('size')
    })
  }
})

describe('rejects', () => {
  const of = 'a.example/bs'
  const tokenOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const cases: readonly (readonly [query: string, reason: string])[] = [
    ...['page', 'size'].flatMap((name) =>
      ['0', '-1', '1.5', '1e3', '0x10', ' 1', 'one', '', '1000000000', '٣'].map(
        (value) => [`${name}=${encodeURIComponent(value)}`, 'InvalidPage'] as const,
      ),
    ),
    ['size=1&size=2', 'InvalidPage'],
    ['page=2', 'InvalidPage'],
    ['sizes=2', 'BadRequest'],
    ['Size=2', 'BadRequest'],
    ['exactTotal=yes', 'BadRequest'],
    ['exactTotal=true&exactTotal=true', 'BadRequest'],
    ['continue=', 'BadRequest'],
    ['continue=x', 'BadRequest'],
    [`continue=${tokenOf({})}`, 'BadRequest'],
    [`continue=${tokenOf([1, 2, 'a'])}`, 'BadRequest'],
    [`continue=${tokenOf([0, 2, 'a', '', of])}`, 'BadRequest'],
    [`continue=${tokenOf([1, '2', 'a', '', of])}`, 'BadRequest'],
    [`continue=${tokenOf([1, 2.5, 'a', '', of])}`, 'BadRequest'],
    [`continue=${tokenOf([1, 2, 7, '', of])}`, 'BadRequest'],
    [`continue=${tokenOf([1, 2, 'a', null, of])}`, 'BadRequest'],
    [`continue=${tokenOf([1, 2, 'a', '', of])}&continue=${tokenOf([1, 2, 'a', '', of])}`, 'BadRequest'],
    ['continue=x&size=2', 'BadRequest'],
    ['continue=x&labelSelector=a', 'BadRequest'],
  ]
  for (const [query, reason] of cases) {
    test(query, () => expect(() => pages(query)).toThrow(expect.objectContaining({ reason }) as Error))
  }
})

test('a continue token contains the next page, selectors and sort', () => {
  const asked = pages(
    'page=2&size=5&sort=spec.a,desc&sort=spec.b&labelSelector=a%3Db%26c&fieldSelector=d&exactTotal=true',
  )
  const token = continueToken(asked, 'behind' as Cursor)
  const next = pages(`continue=${token}`)
  expect(next).toMatchObject({ page: 3, size: 5, after: 'behind', exactTotal: true })
  expect(next.query.getAll('sort')).toEqual(['spec.a,desc', 'spec.b'])
  expect(next.query.get('labelSelector')).toBe('a=b&c')
  expect(next.query.get('fieldSelector')).toBe('d')
  expect(next.query.has('page')).toBe(false)
  expect(token).toMatch(/^[\w-]+$/)
})
