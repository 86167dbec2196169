import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../conformance/server.ts'

/** The sources of one directive of a page's policy. */
function sourcesOf(policy: unknown, directive: string): readonly string[] {
  const found = String(policy)
    .split('; ')
    .find((one) => one.startsWith(`${directive} `))
  return found?.split(' ').slice(1) ?? []
}

onEachEngine(
  (api) => {
    const pageAt = (host: string) => api.request('GET', '/console', { as: 'anonymous', headers: { host } })
    const scriptsFor = async (host: string) => {
      const page = await pageAt(host)
      expect(page.status).toBe(200)
      return sourcesOf(page.headers['content-security-policy'], 'script-src').filter((one) => !one.includes('sha256-'))
    }

    describe('pages of the host', () => {
      test("an answer of a plugin's API is not a script for the console, at any name of the host", async () => {
        const ofPublicUrl = ['console.example.com/console/', 'console.example.com/plugins/']
        expect(await scriptsFor('console.example.com')).toEqual(ofPublicUrl)
        expect(await scriptsFor('other.example.com:8443')).toEqual([
          ...ofPublicUrl,
          'other.example.com:8443/console/',
          'other.example.com:8443/plugins/',
        ])
      })

      test('a name that a policy cannot contain adds nothing to it but the own origin', async () => {
        // Policies cannot name addresses other than 127.0.0.1.
        for (const host of ['[::1]:8080', '192.0.2.7', "a; script-src 'unsafe-inline'", 'a_b.example.com', '*']) {
          const page = await pageAt(host)
          expect(String(page.headers['content-security-policy'])).not.toMatch(/unsafe|\*|192\.0|::1|a_b/)
          if (page.status === 200) expect(await scriptsFor(host)).toContain("'self'")
        }
      })

      test('every page has a policy against scripts, foreign content and framing', async () => {
        for (const path of ['/console', '/auth/login', '/openapi', '/openapi/api/v1alpha1']) {
          const as = path.startsWith('/auth') ? { as: 'anonymous' as const } : {}
          const { status, headers } = await api.request('GET', path, { ...as, headers: { accept: 'text/html' } })
          expect(`${path} ${status} ${headers['content-type']}`).toBe(`${path} 200 text/html; charset=utf-8`)
          const policy = headers['content-security-policy']
          expect(sourcesOf(policy, 'default-src')).toEqual(["'none'"])
          expect(sourcesOf(policy, 'frame-ancestors')).toEqual(["'none'"])
          expect(sourcesOf(policy, 'base-uri')).toEqual(["'none'"])
          expect(policy).not.toContain('unsafe')
        }
      })
    })
  },
  { env: { PERGOLA_SERVER_PUBLIC_URL: 'https://console.example.com' } },
)
