import { ApiError } from '@pergola/api'
import { objectNotFound } from '../call/not-found.ts'
import type { Answer, Call } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import { jsonAnswer } from '../call/json-answer.ts'
import type { Passwords } from '../credentials/passwords.ts'
import type { Model } from '../models/model.ts'
import { dryRunParameter, flag } from '../models/query/query-parameters.ts'
import { jsonRequest } from '../validation/json-request.ts'
import { keepTokens, newPassword, passwordChanged, refuseWeak } from './sign-in/password-endpoint.ts'
import { replacePassword, type ReplacePasswordParts } from '../access/replace-password.ts'
import { inAccessOrder } from '../access/access-order.ts'
import { assertPowerOver } from '../access/escalation.ts'
import type { Rights } from '../access/rights.ts'
import { refuseTokens } from './refuse-tokens.ts'

const change = jsonRequest<Change>('the password', {
  type: 'object',
  required: ['password'],
  additionalProperties: false,
  properties: { password: newPassword, keepTokens },
})

interface Change {
  readonly password: string
  readonly keepTokens?: boolean
}

export interface UserPasswordParts extends ReplacePasswordParts {
  readonly passwords: Passwords
  readonly users: Model
  readonly rights: Rights
  readonly onEnd: (uid: string) => void
}

export function userPasswordRoutes(parts: UserPasswordParts): readonly HostRoute[] {
  return [
    {
      id: 'setUserPassword',
      method: 'PUT',
      path: '/api/v1alpha1/users/{name}/password',
      summary: 'Set the password of another user',
      description: 'Ends every session of the user, and its tokens unless they are kept.',
      pathParameters: { name: "The user's name." },
      query: [dryRunParameter],
      body: change,
      answers: [passwordChanged],
      failures: ['EscalationForbidden'],
      handle: (call, { name = '' }) => setUserPassword(parts, call, name),
    },
  ]
}

/**
 * `PUT /api/v1alpha1/users/<name>/password`: sets another user's password. Ends all sessions of that user, and all tokens
 * unless they are kept.
 */
async function setUserPassword(parts: UserPasswordParts, call: Call, name: string): Promise<Answer> {
  refuseTokens(call, 'sets no password')
  const { request } = call
  const dryRun = flag(request.query, 'dryRun')
  const { password, keepTokens: isKept } = await change.read(request)
  if (call.caller.kind === 'user' && call.caller.name === name) {
    throw new ApiError('Forbidden', 'your own password is changed at /auth/password, by showing the current one')
  }
  refuseWeak('the password', { field: '/password', password, username: name })
  const asserted = async () => {
    const user = await parts.store.get(parts.users, name)
    if (!user) throw objectNotFound('user', name)
    await assertPowerOver(parts.rights, call.caller, name)
    return user
  }
  const { uid } = await asserted()
  // Before the access order is read: hashing takes longer than many other writes.
  const set = await parts.passwords.set(uid, password)
  await inAccessOrder(parts.store, async (order) => {
    const user = await asserted()
    if (user.uid !== uid) throw objectNotFound('user', name)
    await replacePassword(parts, { user, set, keepTokens: isKept, guards: [order], dryRun })
  })
  if (!dryRun) parts.onEnd(uid)
  return jsonAnswer(200, Buffer.from(JSON.stringify({ changed: true })))
}
