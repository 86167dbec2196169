import { describe, expect, test } from 'vitest'
import { createAuthenticate } from './authenticate.ts'

const administratorToken = 'pgl_0123456789abcdef0123456789abcdef'
const ann = { uid: '1', name: 'ann' }
const known = new Map([
  ['pgs_session', { ...ann, sessionId: 's1' }],
  ['pgl_token', { ...ann, narrowedTo: ['author'] }],
])
const authenticate = createAuthenticate({
  credentials: { find: async (secret) => known.get(secret) },
  administratorToken,
  cookieName: 'pergola-session',
  clearedCookie: 'pergola-session=; Max-Age=0',
})
const challenge = { 'www-authenticate': 'Bearer realm="pergola"' }

describe('a caller is', () => {
  const cases: readonly (readonly [what: string, headers: Record<string, string>, caller: object])[] = [
    ['anonymous without credentials', {}, { kind: 'anonymous' }],
    [
      'anonymous with cookies of others',
      { cookie: 'theme=dark; x-pergola-session=pgs_session' },
      { kind: 'anonymous' },
    ],
    [
      'the administrator by its token',
      { authorization: `bearer ${administratorToken}` },
      { kind: 'user', name: 'admin', uid: '', via: 'token' },
    ],
    [
      'who holds a session, by its token',
      { authorization: 'Bearer pgs_session' },
      { kind: 'user', ...ann, sessionId: 's1', via: 'token' },
    ],
    [
      'who holds a session, by its cookie',
      { cookie: 'theme=dark; pergola-session=pgs_session' },
      { kind: 'user', ...ann, sessionId: 's1', via: 'cookie' },
    ],
    [
      'whose personal token it is, narrowed',
      { authorization: 'Bearer pgl_token' },
      { kind: 'user', ...ann, narrowedTo: ['author'], via: 'token' },
    ],
    [
      'by the header when there is a cookie, too',
      { authorization: 'Bearer pgl_token', cookie: 'pergola-session=pgs_session' },
      { kind: 'user', ...ann, narrowedTo: ['author'], via: 'token' },
    ],
  ]
  for (const [what, headers, caller] of cases) {
    test(what, async () => expect(await authenticate(headers)).toEqual(caller))
  }
})

describe('refused, and never taken for anonymous, is', () => {
  const cases: readonly (readonly [what: string, authorization: string])[] = [
    ['another token', 'Bearer pgl_nobody'],
    ['a part of the token', `Bearer ${administratorToken.slice(0, -1)}`],
    ['the token with more behind it', `Bearer ${administratorToken}x`],
    ['no token', 'Bearer '],
    ['another scheme', `Basic ${administratorToken}`],
    ['the bare token', administratorToken],
    ['nothing at all', ''],
  ]
  for (const [what, authorization] of cases) {
    test(what, async () => {
      const refused = { reason: 'Unauthenticated', headers: challenge }
      await expect(authenticate({ authorization })).rejects.toMatchObject(refused)
      await expect(authenticate({ authorization, cookie: 'pergola-session=pgs_session' })).rejects.toMatchObject(
        refused,
      )
    })
  }

  for (const secret of ['pgs_over', 'pgl_token', '']) {
    test(`a cookie that holds ${secret || 'nothing'}, which the browser is told to forget`, async () => {
      await expect(authenticate({ cookie: `pergola-session=${secret}` })).rejects.toMatchObject({
        reason: 'Unauthenticated',
        headers: { ...challenge, 'set-cookie': 'pergola-session=; Max-Age=0' },
      })
    })
  }
})
