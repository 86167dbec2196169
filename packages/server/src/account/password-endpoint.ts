import { ApiError } from '@pergola/api'
import type { Answer, Call } from '../base/call.ts'
import { passwordLengths, type Passwords } from '../credentials/passwords.ts'
import type { Sessions } from '../credentials/sessions.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import type { Store } from '../store/store.ts'
import { readJson } from '../validation/read-json.ts'
import { compileSchema } from '../validation/schema-validator.ts'
import type { LoginLimits } from './login-limits.ts'
import { signedIn } from './sessions-endpoint.ts'

const { least, most } = passwordLengths
export const newPassword = { type: 'string', minLength: least, maxLength: most }
const changeFaults = compileSchema({
  type: 'object',
  required: ['current', 'new'],
  additionalProperties: false,
  properties: {
    current: { type: 'string', minLength: 1, maxLength: 1_024 },
    new: newPassword,
  },
})

export interface PasswordEndpointParts {
  readonly store: Store
  readonly passwords: Passwords
  readonly sessions: Sessions
  readonly limits: LoginLimits
  readonly onEnd: (uid: string) => void
}

/** `PUT /auth/password`: one's own. Whoever else is signed in by it is signed out. */
export async function changePassword(parts: PasswordEndpointParts, call: Call): Promise<Answer> {
  const { uid, name, sessionId } = signedIn(call)
  const { request } = call
  const value = await readJson(request, { what: 'the change', faults: changeFaults })
  const sent = value as { readonly current: string; readonly new: string }
  const attempt = { account: name, address: request.address }
  const isRight = await parts.limits.attempt(attempt, async () =>
    (await parts.passwords.check(uid, sent.current)) ? true : undefined,
  )
  if (!isRight) throw new ApiError('Forbidden', 'the current password is wrong')
  const set = await parts.passwords.set(uid, sent.new)
  await parts.store.write([], { also: [set, ...parts.sessions.othersEnded(uid, sessionId)] })
  parts.onEnd(uid)
  return jsonAnswer(200, Buffer.from(JSON.stringify({ changed: true })))
}
