import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { Collection } from '../conformance/collection.ts'
import { createRole, expectSoon, person, type Person } from '../conformance/people.ts'
import { expectStatus } from '../conformance/request.ts'
import type { Api } from '../conformance/server.ts'

/** The target of the attacks: an object that neither the attacker nor an anonymous visitor may read. */
export interface Vault {
  readonly things: Collection
  readonly path: string
  /** A role that may read the object. */
  readonly reader: string
  readonly rule: object
}

export async function createVault(api: Api): Promise<Vault> {
  const things = await api.model()
  const { metadata } = await things.created()
  const rule = { apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['get'] }
  return { things, path: `${things.path}/${metadata.name}`, rule, reader: await createRole(api, { rules: [rule] }) }
}

/** A user who may edit roles, bindings and users, and has no other rights. */
export async function createEditor(api: Api): Promise<Person & { readonly role: string }> {
  const resources = ['roles', 'rolebindings', 'users', 'users/password']
  const role = await createRole(api, { rules: [{ apiGroups: [''], resources, verbs: ['*'] }] })
  const eve = await person(api, { roles: [role] })
  await expectSoon(async () => expectStatus(await eve.request('GET', '/api/v1alpha1/users?size=1'), 200))
  return { ...eve, role }
}

/** Neither the attacker nor an anonymous visitor can read the vault, now or when the rights have reached the server. */
export async function expectClosed(api: Api, eve: Person, { path }: Vault): Promise<void> {
  const assertClosed = async () => {
    expect((await eve.request('GET', path)).status).toBe(403)
    expect((await api.request('GET', path, { as: 'anonymous' })).status).toBe(401)
  }
  await assertClosed()
  await untilRightsArrived(api)
  await assertClosed()
}

/** Rights take effect in the order in which they were stored: once a later grant works, all earlier ones would. */
async function untilRightsArrived(api: Api): Promise<void> {
  const rules = [{ apiGroups: [''], resources: ['roles'], verbs: ['list'] }]
  const witness = await person(api, { roles: [await createRole(api, { rules })] })
  await expectSoon(async () => expectStatus(await witness.request('GET', '/api/v1alpha1/roles?size=1'), 200))
}

export interface RawRequest {
  readonly method: string
  /** Sent unchanged, even if it is malformed. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
  /** A local source address: all of 127.0.0.0/8 works. */
  readonly from?: string
}

export interface RawAnswer {
  readonly status: number
  readonly text: string
  readonly headers: IncomingMessage['headers']
}

/** Sends a request, optionally from another source address. */
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

/** A login over a new connection. */
export function guess(url: string, { username, password, from }: Guess): Promise<RawAnswer> {
  return sendRaw(url, {
    method: 'POST',
    target: '/auth/sessions',
    headers: { origin: url },
    body: JSON.stringify({ username, password }),
    ...(from !== undefined && { from }),
  })
}
