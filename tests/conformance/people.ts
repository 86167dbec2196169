import { expect } from 'vitest'
import { seededBinding } from '../end-to-end/seed-administrator.ts'
import type { Answer, RequestOptions } from './request.ts'
import { expectStatus } from './request.ts'
import type { Api } from './server.ts'
import { Refused } from './watching.ts'

export const core = '/api/v1alpha1'
const password = 'correct horse battery'

/** A signed-in user. */
export interface Person {
  readonly name: string
  readonly token: string
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
}

let count = 0

interface PersonOptions {
  readonly roles?: readonly string[]
  /** Can also `login`. Not the default, because hashing a password is slow on purpose. */
  readonly hasPassword?: boolean
}

/** Creates a user, binds it to these roles and signs it in. */
export async function person(api: Api, { roles = [], hasPassword = false }: PersonOptions = {}): Promise<Person> {
  const name = `person-${++count}`
  expectStatus(await api.request('POST', `${core}/users`, { body: { metadata: { name } } }), 201)
  if (hasPassword) expectStatus(await api.request('PUT', `${core}/users/${name}/password`, { body: { password } }), 200)
  for (const role of roles) await bind(api, role, [name])
  const token = await api.signIn(name)
  return { name, token, request: (method, path, options) => api.request(method, path, { token, ...options }) }
}

export function login(api: Api, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return api.request('POST', '/auth/sessions', {
    body: { password, ...body },
    as: 'anonymous',
    headers: { origin: api.origin(), ...headers },
  })
}

/** Signs the user in; returns the session cookie as a browser sends it. */
export async function cookieOf(api: Api, username: string): Promise<string> {
  const answer = await login(api, { username })
  expectStatus(answer, 201)
  return String(answer.headers['set-cookie']?.[0]).split(';')[0] ?? ''
}

/** Returns the name of the binding. */
export async function bind(api: Api, role: string, users: readonly string[]): Promise<string> {
  const answer = await api.request('POST', `${core}/rolebindings`, { body: bindingOf(role, users) })
  expectStatus(answer, 201)
  return (answer.body as { metadata: { name: string } }).metadata.name
}

export function bindingOf(
  role: string,
  users: readonly string[],
  metadata: object = { generateName: 'binding-' },
): object {
  return { metadata, roleRef: { name: role }, subjects: users.map((name) => ({ name })) }
}

/** The only super administrator by an ordinary binding. `restore` makes the usual one of the tests an administrator again. */
export interface OnlyAdministrator extends Person {
  readonly binding: string
  restore(): Promise<void>
}

export async function onlyAdministrator(api: Api): Promise<OnlyAdministrator> {
  const bindings = `${core}/rolebindings`
  const only = await person(api)
  const binding = await bind(api, superAdministrator, [only.name])
  await expectSoon(async () => expectStatus(await only.request('GET', bindings), 200))
  const { body } = await only.request('GET', `${bindings}?fieldSelector=roleRef.name=${superAdministrator}`)
  for (const { metadata } of (body as { items: { metadata: { name: string } }[] }).items) {
    if (metadata.name === binding || metadata.name.startsWith('oidc-')) continue
    expectStatus(await only.request('DELETE', `${bindings}/${metadata.name}`), 200)
  }
  const restore = async () => {
    const again = bindingOf(superAdministrator, ['admin'], { name: seededBinding })
    expectStatus(await only.request('POST', bindings, { body: again }), 201)
    await expectSoon(async () => expectStatus(await api.request('GET', bindings), 200))
  }
  return { ...only, binding, restore }
}

const superAdministrator = 'super-administrator'

export interface RoleParts {
  readonly rules?: readonly object[]
  readonly dependencies?: readonly string[]
  readonly aggregatesTo?: readonly string[]
}

/** Returns the role's name. */
export async function createRole(api: Api, parts: RoleParts): Promise<string> {
  const body = roleOf(`role-${++count}`, parts)
  expectStatus(await api.request('POST', `${core}/roles`, { body }), 201)
  return body.metadata.name
}

interface RoleBody {
  readonly metadata: { readonly name: string; readonly labels: object; readonly annotations: object }
  readonly rules: readonly object[]
}

export function roleOf(name: string, { rules = [], dependencies, aggregatesTo = [] }: RoleParts): RoleBody {
  const prefix = 'rbac.authorization.platform.run'
  return {
    metadata: {
      name,
      labels: Object.fromEntries(aggregatesTo.map((target) => [`${prefix}/aggregate-to-${target}`, 'true'])),
      annotations: dependencies ? { [`${prefix}/dependencies`]: JSON.stringify(dependencies) } : {},
    },
    rules,
  }
}

/** Calls `use` with a near expiry, and with later ones while it is refused: on a busy machine the first may have passed. */
export async function beforeExpiry<Result>(use: (expiresAt: string) => Promise<Result>): Promise<Result> {
  const expiry = (lifeMs: number) => new Date(Date.now() + lifeMs).toISOString()
  for (const lifeMs of [1_500, 6_000]) {
    try {
      return await use(expiry(lifeMs))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  }
  return use(expiry(30_000))
}

/** Below the 60 seconds after which caches are compared with the database, which would repair what a change did not. */
const soonMs = 45_000

/** Repeats a check until it passes: changes of rights reach every replica after a delay. */
export async function expectSoon(check: () => Promise<void>): Promise<void> {
  await expect
    .poll(async () => check().then(() => 'as expected', String), { interval: 25, timeout: soonMs })
    .toBe('as expected')
}
