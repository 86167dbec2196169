import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createOidcClient, newLoginSecrets } from './oidc-client.ts'

/** What a provider does wrong on its own side; the whole flow is held by the conformance tests, against a real one. */
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
  return { issuer, login: () => client.loginUrl(newLoginSecrets(), 'http://127.0.0.1/callback') }
}

const json =
  (value: object): RequestListener =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
  }

test('one that takes connections and does not answer is given up, for all who wait together', async () => {
  let asked = 0
  const answer = json({ issuer: 'http://127.0.0.1/', authorization_endpoint: 'http://127.0.0.1/authorize' })
  const { login } = await provider((request, response) => {
    asked++
    // A client that waits for it, by a limit that is not its own, is not told of a timeout.
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

test('one that failed is left alone for a moment, and asked again then', async () => {
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
    'one that calls itself something else',
    json({ issuer: 'https://evil.example/', authorization_endpoint: 'https://evil.example/' }),
  ],
  ['a page in place of an answer', (_request, response) => void response.end('<html>')],
  [
    'one that sends us elsewhere',
    (_request, response) => void response.writeHead(302, { location: 'https://evil.example/' }).end(),
  ],
  ['one that says nothing', json({})],
]
for (const [what, answer] of wrong) {
  test(`refused is ${what}`, async () => {
    const { login } = await provider(answer)
    await expect(login()).rejects.toMatchObject({
      reason: 'Unavailable',
      message: expect.stringMatching(/^Accounts cannot be used to sign in now/) as string,
    })
  })
}
