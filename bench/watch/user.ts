import { call } from './host.ts'

const core = '/api/v1alpha1'
const password = 'correct horse battery'
let users = 0

export interface SignedIn {
  readonly name: string
  readonly session: string
  /** The role that has the rules. */
  readonly binding: string
}

/** A new signed-in user with these rules. */
export async function createUser(address: string, rules: readonly object[]): Promise<SignedIn> {
  const name = `user-${++users}`
  await call(address, 'POST', `${core}/users`, { metadata: { name } })
  await call(address, 'PUT', `${core}/users/${name}/password`, { password })
  const role = `role-${users}`
  await call(address, 'POST', `${core}/roles`, { metadata: { name: role }, rules })
  const binding = `binding-${users}`
  const body = { metadata: { name: binding }, roleRef: { name: role }, subjects: [{ name }] }
  await call(address, 'POST', `${core}/rolebindings`, body)
  const signedIn = await call(address, 'POST', '/auth/sessions', { username: name, password, transport: 'token' })
  return { name, session: String(signedIn.body['token']), binding }
}
