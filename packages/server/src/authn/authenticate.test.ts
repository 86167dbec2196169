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
    ['anonymous with other cookies', { cookie: 'theme=dark; x-pergola-session=pgs_session' }, { kind: 'anonymous' }],
    [
      'the user of a session token',
      { authorization: 'Bearer pgs_session' },
      { kind: 'user', ...ann, sessionId: 's1', via: 'token' },
    ],
    [
      'the user of a session cookie',
      { cookie: 'theme=dark; pergola-session=pgs_session' },
      { kind: 'user', ...ann, sessionId: 's1', via: 'cookie' },
    ],
    [
      'the owner of a personal access token, narrowed',
      { authorization: 'bearer pgl_token' },
      { kind: 'user', ...ann, narrowedTo: ['author'], via: 'token' },
    ],
    [
      'taken from the header if there is a cookie as well',
      { authorization: 'Bearer pgl_token', cookie: 'pergola-session=pgs_session' },
      { kind: 'user', ...ann, narrowedTo: ['author'], via: 'token' },
    ],
  ]
  for (const [what, headers, caller] of cases) {
    test(what, async () => expect(await authenticate(headers)).toEqual(caller))
  }
})

describe('rejected, and never treated as anonymous:', () => {
  const cases: readonly (readonly [what: string, authorization: string])[] = [
    ['another token', 'Bearer pgl_nobody'],
    ['a part of the token', 'Bearer pgl_toke'],
    ['the token with a suffix', 'Bearer pgl_tokenx'],
    ['no token', 'Bearer '],
    ['another scheme', 'Basic pgl_token'],
    ['the bare token', 'pgl_token'],
    ['an empty header', ''],
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
    test(`a cookie with the value "${secret}", which the response clears`, async () => {
      await expect(authenticate({ cookie: `pergola-session=${secret}` })).rejects.toMatchObject({
        reason: 'Unauthenticated',
        headers: { ...challenge, 'set-cookie': 'pergola-session=; Max-Age=0' },
      })
    })
  }
})
