import type { Answer, Call } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import { notModified, taggedAnswer } from '../call/tagged-answer.ts'
import { mayHandOutAnything } from '../access/escalation.ts'
import type { Rights } from '../access/rights.ts'

const text = { type: 'string' }
const schema = {
  type: 'object',
  required: ['roles', 'uiPermissions'],
  properties: {
    username: text,
    roles: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: text, displayName: text, binding: text } },
    },
    uiPermissions: { type: 'array', items: text },
  },
}

export function permissionRoutes(rights: Rights): readonly HostRoute[] {
  return [
    {
      id: 'readPermissions',
      method: 'GET',
      path: '/apis/api.platform.run/v1alpha1/users/-/permissions',
      summary: 'Read the roles and UI permissions of the caller',
      answers: [{ status: 200, description: 'The permissions of the caller.', schema }, notModified],
      handle: (call) => ownPermissions(rights, call),
    },
  ]
}

/** `GET users/-/permissions`: the caller's roles and UI permissions, so that a user interface can show allowed actions. */
async function ownPermissions(rights: Rights, call: Call): Promise<Answer> {
  const { caller } = call
  const held = await rights.rolesOf(caller)
  const { book, roles } = held
  // A super administrator gets all UI permissions, including those of roles it does not hold.
  const names = mayHandOutAnything(held) ? [...book.roles.keys()] : roles.map(({ name }) => name)
  const username = caller.kind === 'anonymous' ? undefined : caller.name
  const uiPermissions = book.uiPermissions(names)
  const named = roles.map((role) => ({ displayName: book.roles.get(role.name)?.displayName, ...role }))
  return taggedAnswer(call, 'application/json', JSON.stringify({ username, roles: named, uiPermissions }))
}
