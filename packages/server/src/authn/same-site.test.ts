import { requestInfo } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../call/call.ts'
import { localOrigins } from '../base/origins.ts'
import { refuseCrossSite } from './same-site.ts'

const publicUrl = 'https://pergola.example.com'
const listed = { origin: 'https://app.example.com' }
const listedOrigins = new Set([listed.origin])
const own = { origin: 'https://pergola.example.com' }
const ann = (via: 'cookie' | 'token'): Caller => ({ kind: 'user', name: 'ann', uid: '1', via })
const roles = '/api/v1alpha1/roles'

const cases: readonly (readonly [
  outcome: 'passes' | 'is refused',
  what: string,
  caller: Caller,
  request: string,
  headers: Record<string, string>,
])[] = [
  ['passes', 'a read with a cookie', ann('cookie'), `GET ${roles}`, {}],
  ['is refused', 'a write with a cookie', ann('cookie'), `POST ${roles}`, {}],
  ['is refused', 'a deletion with a cookie', ann('cookie'), `DELETE ${roles}/a`, {}],
  ['passes', 'a write with a cookie from our own page', ann('cookie'), `POST ${roles}`, own],
  [
    'passes',
    'a write that the browser marks as same-origin',
    ann('cookie'),
    `PATCH ${roles}/a`,
    { 'sec-fetch-site': 'same-origin' },
  ],
  ['is refused', 'a write from a sibling site', ann('cookie'), `PUT ${roles}/a`, { 'sec-fetch-site': 'same-site' }],
  ['is refused', 'a write from another origin', ann('cookie'), `PUT ${roles}/a`, { origin: 'https://evil.example' }],
  [
    'is refused',
    'a write from our host on another port',
    ann('cookie'),
    `PUT ${roles}/a`,
    { origin: `${own.origin}:444` },
  ],
  ['is refused', 'an event stream with a cookie', ann('cookie'), `GET ${roles}`, { accept: 'text/event-stream' }],
  [
    'is refused',
    'a WebSocket with a cookie from a sibling origin',
    ann('cookie'),
    `GET ${roles}`,
    { upgrade: 'websocket', origin: 'https://evil.pergola.example.com' },
  ],
  ['passes', 'a WebSocket from our own page', ann('cookie'), `GET ${roles}`, { upgrade: 'websocket', ...own }],
  ['passes', 'an event stream with a token', ann('token'), `GET ${roles}`, { accept: 'text/event-stream' }],
  ['is refused', 'a read with a cookie from a listed origin', ann('cookie'), `GET ${roles}`, listed],
  ['is refused', 'a write with a cookie from a listed origin', ann('cookie'), `POST ${roles}`, listed],
  ['passes', 'a write with a token from a listed origin', ann('token'), `POST ${roles}`, listed],
  ['passes', 'a read without credentials from a listed origin', { kind: 'anonymous' }, `GET ${roles}`, listed],
  ['is refused', 'a login from a listed origin', { kind: 'anonymous' }, 'POST /auth/sessions', listed],
  ['is refused', 'a write with a null origin', ann('cookie'), `POST ${roles}`, { origin: 'null' }],
  ['is refused', 'an event stream of a path', ann('cookie'), 'GET /livez', { accept: 'text/event-stream' }],
  ['passes', 'a write with a token', ann('token'), `POST ${roles}`, { origin: 'https://evil.example' }],
  [
    'is refused',
    'a login from another origin',
    { kind: 'anonymous' },
    'POST /auth/sessions',
    { origin: 'https://evil.example' },
  ],
  ['is refused', 'a login without an origin', { kind: 'anonymous' }, 'POST /auth/sessions', {}],
  ['passes', 'a login from our own page', { kind: 'anonymous' }, 'POST /auth/sessions', own],
  ['is refused', 'a write under /auth with a token', ann('token'), 'PUT /auth/password', {}],
]

describe('a request:', () => {
  for (const [outcome, what, caller, request, headers] of cases) {
    test(`${what} ${outcome}`, () => {
      const [method = '', target = ''] = request.split(' ')
      const info = requestInfo({ method, target, headers })
      const check = () => refuseCrossSite({ info, caller, headers }, { publicUrl, listedOrigins })
      if (outcome === 'passes') expect(check).not.toThrow()
      else expect(check).toThrow(expect.objectContaining({ reason: 'CrossSite' }) as Error)
    })
  }
})

test('the second address of our own pages counts as ours, and nothing like it', () => {
  const alsoOwn = 'http://localhost:8090'
  const check = (origin: string) => () =>
    refuseCrossSite(
      {
        info: requestInfo({ method: 'GET', target: roles, headers: { upgrade: 'websocket' } }),
        caller: ann('cookie'),
        headers: { origin },
      },
      { publicUrl: 'http://127.0.0.1:8090', alsoOwn, listedOrigins: localOrigins },
    )
  for (const origin of [alsoOwn, 'http://127.0.0.1:8090']) expect(check(origin)).not.toThrow()
  for (const origin of ['http://localhost:8091', 'http://localhost', 'https://localhost:8090', 'null', '']) {
    expect(check(origin)).toThrow(expect.objectContaining({ reason: 'CrossSite' }) as Error)
  }
})
