import type { RequestInfo } from '@pergola/api'
import { expect, test } from 'vitest'
import type { Caller, IncomingRequest } from '../call/call.ts'
import type { AuditEntry } from './audit-entry.ts'
import { createRequestAudit, unaudited } from './request-audit.ts'

const resource = (more: object = {}) =>
  ({ kind: 'resource', verb: 'create', group: '', version: 'v1alpha1', resource: 'roles', ...more }) as RequestInfo
const ann = (more: object = {}) =>
  ({ kind: 'user', name: 'ann', uid: 'u', via: 'bearer', ...more }) as unknown as Caller
const incoming = (query = '') =>
  ({ id: 'r', address: '127.0.0.1', query: new URLSearchParams(query), note: () => {} }) as unknown as IncomingRequest

/** The entries of an allowed or denied request. */
function recorded(info: RequestInfo | undefined, caller: Caller | undefined, { denied = false, query = '' } = {}) {
  const entries: AuditEntry[] = []
  const audit = createRequestAudit((entry) => entries.push(entry))(incoming(query))
  if (info) audit.classified(info)
  if (caller) audit.identified(caller)
  audit.request.note({ account: 'ann' })
  if (denied) audit.failed('Forbidden', 403)
  else {
    audit.allowed('writer')
    audit.answered({ status: 201, headers: { location: '/api/v1alpha1/roles/made-x' } })
  }
  return entries
}

test('a write is recorded with user, credential, resource and role', () => {
  const [entry] = recorded(resource(), ann({ tokenName: 'ci', through: '10.0.0.1' }), { query: 'dryRun=true' })
  expect(entry).toMatchObject({
    user: 'ann',
    how: 'token',
    token: 'ci',
    through: '10.0.0.1',
    verb: 'create',
    resource: 'roles',
    name: 'made-x',
    account: 'ann',
    dryRun: true,
    decision: 'allowed',
    by: 'writer',
    status: 201,
  })
  expect(recorded(resource({ verb: 'update', name: 'a', subresource: 'status' }), ann())).toMatchObject([
    { resource: 'roles/status', name: 'a' },
  ])
})

test('every kind of credential is recorded', () => {
  const how = (caller: Caller | undefined) => recorded(resource(), caller)[0]?.how
  expect(how(undefined)).toBe('refused')
  expect(how({ kind: 'anonymous' } as unknown as Caller)).toBe('anonymous')
  expect(how({ kind: 'plugin', name: 'plugin:todo' } as unknown as Caller)).toBe('plugin')
  expect(how(ann({ via: 'cookie' }))).toBe('cookie')
  expect(how(ann({ sessionId: 's' }))).toBe('session')
  expect(how(ann())).toBe('token')
})

test('a read is recorded only if it is denied; an unclassified request is not recorded', () => {
  const read = resource({ verb: 'get', name: 'a' })
  expect(recorded(read, ann())).toEqual([])
  expect(recorded(read, ann(), { denied: true })).toMatchObject([
    { decision: 'denied', reason: 'Forbidden', status: 403 },
  ])
  const path = { kind: 'non-resource', verb: 'get', path: '/metrics' } as unknown as RequestInfo
  expect(recorded(path, ann(), { denied: true })).toMatchObject([{ path: '/metrics' }])
  expect(recorded(undefined, ann())).toEqual([])
  const silent = unaudited(incoming())
  silent.classified(read)
  silent.identified(ann())
  silent.allowed('x')
  silent.answered({ status: 200 })
  silent.failed('Forbidden', 403)
  expect(silent.request.id).toBe('r')
})
