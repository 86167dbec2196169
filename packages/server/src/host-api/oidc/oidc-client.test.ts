import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createOidcClient, newBrowserSecrets } from './oidc-client.ts'

/** Faults of a provider. The conformance tests cover the whole flow with a real provider. */
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function provider(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const settings = { name: 'a', displayName: 'Accounts', issuer, clientId: 'p', scopes: ['openid'], roles: new Map() }
  const client = createOidcClient(settings, { timeoutSeconds: 1 })
  return { issuer, login: () => client.loginUrl(newBrowserSecrets(), 'http://127.0.0.1/callback') }
}

const json =
  (value: object): RequestListener =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
  }

test('a provider that does not answer times out, with one request for all waiting logins', async () => {
  let asked = 0
  const answer = json({ issuer: 'http://127.0.0.1/', authorization_endpoint: 'http://127.0.0.1/authorize' })
  const { login } = await provider((request, response) => {
    asked++
    // Answers much later, so that only the client's own timeout can end the wait.
    setTimeout(answer, 20_000, request, response).unref()
  })
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, login))
  expect(asked).toBe(1)
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      reason: { reason: 'Unavailable', message: expect.stringContaining('OAUTH_TIMEOUT') as string },
    })
  }
})

test('a provider that failed is retried after a short pause', async () => {
  let asked = 0
  let issuer = ''
  const found = await provider((request, response) => {
    asked++
    if (asked === 1) return void response.writeHead(500).end()
    json({ issuer, authorization_endpoint: `${issuer}authorize` })(request, response)
  })
  issuer = found.issuer
  await expect(found.login()).rejects.toMatchObject({ reason: 'Unavailable' })
  await expect(found.login()).rejects.toMatchObject({ reason: 'Unavailable' })
  expect(asked).toBe(1)
  await expect.poll(() => found.login().then(String, () => '')).toContain('/authorize?')
  const url = await found.login()
  expect(asked).toBe(2)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: 'p',
    response_type: 'code',
    code_challenge_method: 'S256',
    scope: 'openid',
  })
})

const wrong: readonly (readonly [what: string, answer: RequestListener])[] = [
  [
    'a provider with another issuer',
    json({ issuer: 'https://evil.example/', authorization_endpoint: 'https://evil.example/' }),
  ],
  ['an HTML page', (_request, response) => void response.end('<html>')],
  ['a redirect', (_request, response) => void response.writeHead(302, { location: 'https://evil.example/' }).end()],
  ['an empty document', json({})],
]
for (const [what, answer] of wrong) {
  test(`discovery rejects ${what}`, async () => {
    const { login } = await provider(answer)
    await expect(login()).rejects.toMatchObject({
      reason: 'Unavailable',
      message: expect.stringMatching(/^Accounts cannot be used to sign in now/) as string,
    })
  })
}
