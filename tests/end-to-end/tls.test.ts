import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get, type RequestOptions } from 'node:https'
import { get as getPlain } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { Finding } from '@pergola/server'
import { freePort, makeCertificate } from '@pergola/test-servers'
import { afterAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { runHere } from './cli-in-process.ts'
import { startPergola } from './pergola-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'pergola-https-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { certFile, keyFile } = makeCertificate(folder)
const certificate = () => readFileSync(certFile, 'utf8')
const anonymous = { PERGOLA_TLS_CERT_FILE: certFile, PERGOLA_TLS_KEY_FILE: keyFile, PERGOLA_SERVER_STOP_DELAY: '0' }

async function fetched(url: string, options: RequestOptions) {
  const [response] = (await once(get(url, options), 'response')) as [IncomingMessage]
  let body = ''
  for await (const part of response) body += String(part)
  return { status: response.statusCode, body }
}

/** The serial number of the certificate that a new connection gets. */
async function serialAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ca: certificate(), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

test('a server with a certificate speaks https only; an exchanged one serves new connections, and open ones go on', async () => {
  await using server = startPergola({ env: anonymous })
  const url = await server.url()
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/)
  using agent = closing(new Agent({ keepAlive: true, maxSockets: 1, ca: certificate() }))
  const kept = { agent: agent.agent, ca: certificate() }
  expect(await fetched(`${url}/livez`, kept)).toMatchObject({ status: 200, body: 'ok\n' })
  await expect(once(getPlain(url.replace('https:', 'http:')), 'response')).rejects.toThrow('socket hang up')

  const stream = new WebSocket(`${url.replace('https', 'wss')}/nothing`, { ca: certificate() })
  const [refusal] = (await once(stream, 'unexpected-response').then(([, response]) => [response])) as [IncomingMessage]
  expect(refusal.statusCode).toBe(401)
  refusal.destroy()

  const first = await serialAt(url)
  makeCertificate(folder)
  expect(await serialAt(url)).toBe(first)
  server.signal('SIGHUP')
  await expect.poll(server.stderr).toContain('using the changed certificate')
  expect(await serialAt(url)).not.toBe(first)
  expect(await fetched(`${url}/livez`, { ca: certificate() })).toMatchObject({ status: 200 })
  // The connection from before: its certificate is no longer trusted by anybody, but it is not asked again.
  expect(await fetched(`${url}/livez`, kept)).toMatchObject({ status: 200 })

  const second = await serialAt(url)
  writeFileSync(keyFile, 'half a key')
  server.signal('SIGHUP')
  await expect.poll(server.stderr).toContain('the changed certificate cannot be used')
  expect(await serialAt(url)).toBe(second)

  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
})

test('without a signal, changed files are noticed; sessions are bound to https', async () => {
  makeCertificate(folder)
  const env = { ...anonymous, PERGOLA_ADMIN_USERNAME: 'ann', PERGOLA_ADMIN_PASSWORD_FILE: 'password' }
  await using server = startPergola({ env, files: { password: 'correct horse battery' } })
  const url = await server.url()
  const first = await serialAt(url)
  const body = JSON.stringify({ username: 'ann', password: 'correct horse battery' })
  const cookie = await posted(`${url}/auth/sessions`, body)
  expect(cookie).toMatch(/^__Host-pergola-session=.*; Secure/)
  makeCertificate(folder)
  await expect.poll(() => serialAt(url)).not.toBe(first)
})

test('doctor says when the certificate ends, and whether it is for the public address', async () => {
  makeCertificate(folder, { days: 3 })
  const variables = { HOME: folder, XDG_CONFIG_HOME: folder }
  const port = await freePort()
  const examined = async (more: string) => {
    const yaml = `server: { port: ${port}${more} }\ntls: { certFile: cert.pem, keyFile: key.pem }\ndatabase: { url: 'sqlite:none.db' }`
    writeFileSync(join(folder, 'pergola.yaml'), yaml)
    const { stdout } = await runHere({ args: ['doctor', '-c', 'pergola.yaml', '-o', 'json'], folder, variables })
    const { machine } = JSON.parse(stdout) as { readonly machine: readonly Finding[] }
    return machine.filter(({ name }) => name === 'tls')
  }
  expect(await examined('')).toMatchObject([
    { level: 'warn', words: expect.stringMatching(/^cert\.pem ends on 20/) as string },
  ])
  makeCertificate(folder)
  expect(await examined(', publicUrl: "https://localhost"')).toMatchObject([{ level: 'ok' }])
  expect(await examined(', publicUrl: "https://pergola.example.com"')).toMatchObject([
    { level: 'failed', words: 'cert.pem is not for pergola.example.com, the host of server.publicUrl' },
  ])
})

async function posted(url: string, body: string): Promise<string> {
  const { request } = await import('node:https')
  const headers = { 'content-type': 'application/json', origin: new URL(url).origin }
  const sent = request(url, { method: 'POST', headers, ca: certificate() })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return String(response.headers['set-cookie'])
}

function closing(agent: Agent): Disposable & { readonly agent: Agent } {
  return { agent, [Symbol.dispose]: () => agent.destroy() }
}
