import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { Collection } from '../conformance/collection.ts'
import { createRole, expectSoon, person, type Person } from '../conformance/people.ts'
import { expectStatus } from '../conformance/request.ts'
import type { Api } from '../conformance/server.ts'

/** What an attacker is after: an object that neither it nor any visitor may read. */
export interface Vault {
  readonly things: Collection
  readonly path: string
  /** A role that may read it. */
  readonly reader: string
  readonly rule: object
}

export async function createVault(api: Api): Promise<Vault> {
  const things = await api.model()
  const { metadata } = await things.created()
  const rule = { apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['get'] }
  return { things, path: `${things.path}/${metadata.name}`, rule, reader: await createRole(api, { rules: [rule] }) }
}

/** Somebody who looks after roles, bindings and users, and holds nothing else. */
export async function createEditor(api: Api): Promise<Person & { readonly role: string }> {
  const resources = ['roles', 'rolebindings', 'users', 'users/password']
  const role = await createRole(api, { rules: [{ apiGroups: [''], resources, verbs: ['*'] }] })
  const eve = await person(api, { roles: [role] })
  await expectSoon(async () => expectStatus(await eve.request('GET', '/api/v1alpha1/users?size=1'), 200))
  return { ...eve, role }
}

/** Whatever was tried: the vault is as closed as before, to the attacker and to visitors. Rights take a moment to spread. */
export async function expectClosed(api: Api, eve: Person, { path }: Vault): Promise<void> {
  const until = performance.now() + 400
  do {
    expect((await eve.request('GET', path)).status).toBe(403)
    expect((await api.request('GET', path, { as: 'anonymous' })).status).toBe(401)
  } while (performance.now() < until)
}

export interface RawRequest {
  readonly method: string
  /** Sent as it is, however it looks. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
  /** Of this machine: all of 127.0.0.0/8 is. */
  readonly from?: string
}

export interface RawAnswer {
  readonly status: number
  readonly text: string
  readonly headers: IncomingMessage['headers']
}

/** From an address of the attacker's choice. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const { method, target, headers = {}, body, from } = request
  const sent = httpRequest({
    hostname,
    port,
    method,
    path: target,
    agent: false,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...(headers as Record<string, string | string[]>),
    },
    ...(from !== undefined && { localAddress: from }),
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: Number(response.statusCode), text: await text(response), headers: response.headers }
}

export interface Guess {
  readonly username: string
  readonly password: string
  readonly from?: string
}

/** A login over a connection of its own. */
export function guess(url: string, { username, password, from }: Guess): Promise<RawAnswer> {
  return sendRaw(url, {
    method: 'POST',
    target: '/auth/sessions',
    headers: { origin: url },
    body: JSON.stringify({ username, password }),
    ...(from !== undefined && { from }),
  })
}
