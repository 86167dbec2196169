import { ApiError } from '@pergola/api'
import type { Answer, Call } from '../base/call.ts'
import type { Passwords } from '../credentials/passwords.ts'
import type { Clock } from '../base/clock.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import type { Model } from '../models/model.ts'
import type { Store } from '../store/store.ts'
import { readJson } from '../validation/read-json.ts'
import { compileSchema } from '../validation/schema-validator.ts'
import { newPassword } from '../account/password-endpoint.ts'
import { replacePassword } from '../account/replace-password.ts'
import { assertPowerOver } from '../platform/escalation.ts'
import type { Rights } from '../platform/rights.ts'
import { refuseTokens } from './refuse-tokens.ts'

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
  readonly rights: Rights
  readonly onEnd: (uid: string) => void
}

/** `PUT /api/v1alpha1/users/<name>/password`: of somebody else, who is signed out everywhere. */
export async function setUserPassword(parts: UserPasswordParts, call: Call, name: string): Promise<Answer> {
  refuseTokens(call, 'sets no password')
  const { request } = call
  const value = await readJson(request, { what: 'the password', faults: faults })
  const user = await parts.store.get(parts.users, name)
  if (!user) throw new ApiError('NotFound', `there is no user "${name}"`)
  await assertPowerOver(parts.rights, call.caller, name)
  const { uid } = user
  await replacePassword(parts, { uid, password: (value as { readonly password: string }).password })
  parts.onEnd(uid)
  return jsonAnswer(200, Buffer.from(JSON.stringify({ changed: true })))
}
