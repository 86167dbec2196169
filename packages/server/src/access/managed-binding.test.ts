import { expect, test } from 'vitest'
import { createCountsUntil, isManaged, managedBinding } from './managed-binding.ts'

const issuer = 'https://a.example/'
const provider = { name: 'a', displayName: 'a', issuer, clientId: 'p', scopes: [], roles: new Map([['x', ['author']]]) }
const user = { uid: 'u', name: 'ann' }
const made = managedBinding({ issuer, user, role: 'author' })
const countsUntil = createCountsUntil({ maxAgeMs: 500, providers: [provider] })

test('issuer, user and role determine the name of the binding', () => {
  const nameOf = (parts: object) => managedBinding({ issuer, user, role: 'author', ...parts }).metadata.name
  expect(nameOf({})).toBe(made.metadata.name)
  expect(made.metadata.name).toMatch(/^oidc-[0-9a-f]{32}$/)
  const names = [{}, { role: 'visitor' }, { issuer: 'https://b.example/' }, { user: { uid: 'v', name: 'ann' } }].map(
    nameOf,
  )
  expect(new Set(names).size).toBe(4)
})

test('a managed binding is valid for maxAge after the login', () => {
  expect(isManaged(made)).toBe(true)
  expect(countsUntil(made, 1_000)).toBe(1_500)
  expect(countsUntil(made, undefined)).toBe(Number.NEGATIVE_INFINITY)
})

test('an ordinary binding is always valid', () => {
  expect(countsUntil({ ...made, metadata: {} }, undefined)).toBe(Number.POSITIVE_INFINITY)
})

test('a managed binding with an unknown issuer, role or manager is never valid', () => {
  const elsewhere = managedBinding({ issuer: 'https://b.example/', user, role: 'author' })
  const other = managedBinding({ issuer, user, role: 'visitor' })
  const newer = { ...made, metadata: { labels: { 'rbac.authorization.platform.run/managed-by': 'scim' } } }
  for (const binding of [elsewhere, other, newer]) expect(countsUntil(binding, 1_000)).toBe(Number.NEGATIVE_INFINITY)
})
