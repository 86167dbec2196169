import { describe, expect, test } from 'vitest'
import { assemble } from '../../packages/server/src/assembly/assemble.ts'
import type { Server } from '../../packages/server/src/server.ts'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { sendRaw, type RawAnswer } from './attack.ts'

const ann = { username: 'ann', password: 'correct horse battery' }

/** A server with this public URL, independent of the address it listens on. */
async function startAt(publicUrl: string): Promise<Server & AsyncDisposable> {
  const server = await assemble({
    config: loadConfig({
      env: {
        PERGOLA_DATABASE_URL: 'sqlite::memory:',
        PERGOLA_SERVER_PORT: '0',
        PERGOLA_SERVER_STOP_DELAY: '0',
        PERGOLA_SERVER_PUBLIC_URL: publicUrl,
      },
    }),
    administrator: ann,
    log: createLog({ level: 'error', pretty: false, write: () => {} }),
  })
  return { ...server, [Symbol.asyncDispose]: async () => void (await server.close()) }
}

function signIn({ url }: Server, headers: Readonly<Record<string, string>>): Promise<RawAnswer> {
  return sendRaw(url, { method: 'POST', target: '/auth/sessions', headers, body: JSON.stringify(ann) })
}

// Cookies do not depend on the database engine.
describe('SQLite', () => {
  describe('cookies depend on the public URL', () => {
    const origin = 'https://pergola.example.com'

    test('over https the session cookie has the __Host- prefix and is Secure', async () => {
      await using server = await startAt(origin)
      const answer = await signIn(server, { origin })
      expect(answer.status).toBe(201)
      const [cookie = ''] = answer.headers['set-cookie'] ?? []
      expect(cookie).toMatch(
        /^__Host-pergola-session=pgs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/,
      )
      expect(cookie).not.toContain('Domain')
    })

    test('over https a session cookie without the __Host- prefix is ignored', async () => {
      await using server = await startAt(origin)
      const [cookie = ''] = (await signIn(server, { origin })).headers['set-cookie'] ?? []
      const secret = /=(pgs_[\w-]+)/.exec(cookie)?.[1] ?? ''
      const ask = (sent: string) => sendRaw(server.url, { method: 'GET', target: '/apis', headers: { cookie: sent } })
      expect((await ask(`__Host-pergola-session=${secret}`)).status).toBe(200)
      for (const name of ['pergola-session', '__Secure-pergola-session', '__host-pergola-session']) {
        expect((await ask(`${name}=${secret}`)).status, name).toBe(401)
      }
    })

    test('over https a login from the listening address or a sibling origin is cross-site', async () => {
      await using server = await startAt(origin)
      expect((await signIn(server, { origin: server.url })).status).toBe(403)
      expect((await signIn(server, { origin: 'https://evil.pergola.example.com' })).status).toBe(403)
      expect((await signIn(server, { host: 'pergola.example.com', origin: 'http://pergola.example.com' })).status).toBe(
        403,
      )
    })

    test('over plain http to a remote host a login is rejected with the two ways to fix it', async () => {
      await using server = await startAt('http://pergola.example.com')
      const answer = await signIn(server, { origin: 'http://pergola.example.com' })
      expect(answer.status).toBe(403)
      expect(answer.text).toContain('https')
      expect(answer.text).toContain('server.allowInsecureLogin')
      expect(answer.headers['set-cookie']).toBeUndefined()
    })
  })
})
