import type { Answer, Call } from '../base/call.ts'
import { taggedAnswer } from '../models/tagged-answer.ts'
import { mayHandOutAnything } from '../platform/escalation.ts'
import type { Rights } from '../platform/rights.ts'

/** `GET users/-/permissions`: what the caller holds, for a user interface to show what it may. */
export async function ownPermissions(rights: Rights, call: Call): Promise<Answer> {
  const { caller } = call
  const held = await rights.rolesOf(caller)
  const { book, roles } = held
  // Who may do everything sees everything, also what no role of its own names.
  const names = mayHandOutAnything(held) ? [...book.roles.keys()] : roles.map(({ name }) => name)
  const username = caller.kind === 'anonymous' ? undefined : caller.name
  const uiPermissions = book.uiPermissions(names)
  return taggedAnswer(call, 'application/json', JSON.stringify({ username, roles, uiPermissions }))
}
