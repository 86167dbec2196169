import { ApiError } from '@pergola/api'
import type { Answer, Call } from '../base/call.ts'
import type { Passwords } from '../credentials/passwords.ts'
import { revoked } from '../credentials/revocations.ts'
import type { Clock } from '../base/clock.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import type { Model } from '../models/model.ts'
import type { Store } from '../store/store.ts'
import { parseJsonBody } from '../validation/json-body.ts'
import { compileSchema } from '../validation/schema-validator.ts'
import { newPassword } from './password-endpoint.ts'
import { refuseBody } from '../validation/refuse-body.ts'

const maxBodyBytes = 16 * 1024
const faults = compileSchema({
  type: 'object',
  required: ['password'],
  additionalProperties: false,
  properties: { password: newPassword },
})

export interface UserPasswordParts {
  readonly store: Store
  readonly clock: Clock
  readonly users: Model
  readonly passwords: Passwords
  /** Throws unless the caller holds all that the user holds. */
  readonly assertCovers: (call: Call, user: string) => Promise<void>
  readonly onEnd: (uid: string) => void
}

/** `PUT /api/v1alpha1/users/<name>/password`: of somebody else, who is signed out everywhere. */
export async function setUserPassword(parts: UserPasswordParts, call: Call, name: string): Promise<Answer> {
  const { request } = call
  const { value } = parseJsonBody(request.headers['content-type'], await request.readBody(maxBodyBytes), [
    'application/json',
  ])
  refuseBody('the password', faults(value))
  const user = await parts.store.get(parts.users, name)
  if (!user) throw new ApiError('NotFound', `there is no user "${name}"`)
  await parts.assertCovers(call, name)
  const { uid } = user
  const set = await parts.passwords.set(uid, (value as { readonly password: string }).password)
  for (const statement of [
    set,
    { text: 'DELETE FROM sessions WHERE uid = $1', values: [uid] },
    revoked(parts.clock, uid),
  ]) {
    await parts.store.sql(statement)
  }
  parts.onEnd(uid)
  return jsonAnswer(200, Buffer.from(JSON.stringify({ changed: true })))
}
