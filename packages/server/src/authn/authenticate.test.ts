import { describe, expect, test } from 'vitest'
import { createAuthenticate } from './authenticate.ts'

const ann = { uid: '1', name: 'ann' }
const known = new Map([
  ['pgs_session', { ...ann, sessionId: 's1' }],
  ['pgl_token', { ...ann, narrowedTo: ['author'] }],
])
const authenticate = createAuthenticate({
  credentials: { find: async (secret) => known.get(secret) },
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
      { authorization: 'bearer pgl_token' },
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
    ['a part of the token', 'Bearer pgl_toke'],
    ['the token with more behind it', 'Bearer pgl_tokenx'],
    ['no token', 'Bearer '],
    ['another scheme', 'Basic pgl_token'],
    ['the bare token', 'pgl_token'],
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
