import { ApiError } from '@pergola/api'
import type { Answer, Call } from '../../call/call.ts'
import type { HostRoute } from '../../call/host-route.ts'
import { passwordFault, passwordLengths } from '../../credentials/password-rules.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import { dryRunParameter, flag } from '../../models/query/query-parameters.ts'
import { GuardFailed } from '../../store/guard-failed.ts'
import { fieldError } from '../../call/field-error.ts'
import { jsonRequest } from '../../validation/json-request.ts'
import { refuseBody } from '../../validation/refuse-body.ts'
import type { LoginLimits } from '../../credentials/login-limits.ts'
import type { Passwords } from '../../credentials/passwords.ts'
import { replacePassword, type ReplacePasswordParts } from '../../access/replace-password.ts'
import { signedIn } from './sessions-endpoint.ts'

const { least, most } = passwordLengths
export const newPassword = { type: 'string', minLength: least, maxLength: most }
export const keepTokens = { type: 'boolean', description: 'Leave the personal access tokens valid.' }
export const passwordChanged = {
  status: 200,
  description: 'The password was changed.',
  schema: { type: 'object', required: ['changed'], properties: { changed: { const: true } } },
}
const change = jsonRequest<Change>('the change', {
  type: 'object',
  required: ['current', 'new'],
  additionalProperties: false,
  properties: {
    current: { type: 'string', minLength: 1, maxLength: 1_024 },
    new: newPassword,
    keepTokens,
  },
})

interface Change {
  readonly current: string
  readonly new: string
  readonly keepTokens?: boolean
}

export interface PasswordEndpointParts extends ReplacePasswordParts {
  readonly passwords: Passwords
  readonly limits: LoginLimits
  readonly onEnd: (uid: string) => void
}

export function passwordRoutes(parts: PasswordEndpointParts): readonly HostRoute[] {
  return [
    {
      id: 'changePassword',
      method: 'PUT',
      path: '/auth/password',
      summary: "Change the caller's own password",
      description: 'Ends every other session of the caller, and its tokens unless they are kept.',
      query: [dryRunParameter],
      body: change,
      answers: [passwordChanged],
      failures: ['TooManyRequests', 'CrossSite'],
      handle: (call) => changePassword(parts, call),
    },
  ]
}

/**
 * `PUT /auth/password`: changes the caller's password. Ends the caller's other sessions, and all tokens unless they are kept.
 */
export async function changePassword(parts: PasswordEndpointParts, call: Call): Promise<Answer> {
  const { uid, name, sessionId } = signedIn(call)
  const { request } = call
  const dryRun = flag(request.query, 'dryRun')
  const sent = await change.read(request)
  refuseWeak('the change', { field: '/new', password: sent.new, username: name })
  const attempt = { account: name, address: request.address }
  const proof = await parts.limits.attempt(attempt, (known) => parts.passwords.check(uid, sent.current, known))
  if (!proof) throw new ApiError('Forbidden', 'the current password is wrong')
  const set = await parts.passwords.set(uid, sent.new, proof)
  try {
    await replacePassword(parts, { user: { uid, name }, set, sessionId, keepTokens: sent.keepTokens, dryRun })
  } catch (error) {
    if (!(error instanceof GuardFailed)) throw error
    throw new ApiError('Forbidden', 'the current password has just been changed', { cause: error })
  }
  if (!dryRun) parts.onEnd(uid)
  return jsonAnswer(200, Buffer.from(JSON.stringify({ changed: true })))
}

export interface ChosenPassword {
  readonly field: string
  readonly password: string
  readonly username: string
}

/** Checks that a schema cannot express. */
export function refuseWeak(what: string, { field, password, username }: ChosenPassword): void {
  const fault = passwordFault(password, username)
  if (fault !== undefined) refuseBody(what, [fieldError(field, 'password', fault)])
}
