import type { RoleSource } from '../authz/authorize.ts'
import type { Answer, Call } from '../base/call.ts'
import { taggedAnswer } from '../models/tagged-answer.ts'

/** `GET users/-/permissions`: what the caller holds, for a user interface to show what it may. */
export async function ownPermissions(access: RoleSource, call: Call): Promise<Answer> {
  const { book, roles } = await access.rolesOf(call.caller)
  const uiPermissions = book.uiPermissions(roles.map(({ name }) => name))
  return taggedAnswer(call, 'application/json', JSON.stringify({ roles, uiPermissions }))
}
