import { ApiError, isApiError } from '@pergola/api'
import type { Answer, Call, UserCaller } from '../base/call.ts'
import type { WriteParts } from '../models/create.ts'
import type { JsonObject } from '../models/json-object.ts'
import type { Model } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import { taggedAnswer } from '../models/tagged-answer.ts'
import { updateObject } from '../models/update.ts'
import type { Rights } from '../platform/rights.ts'
import type { StoredObject } from '../store/store.ts'
import { parseJsonBody } from '../validation/json-body.ts'
import { refuseBody } from '../validation/refuse-body.ts'
import { compileSchema } from '../validation/schema-validator.ts'

const maxBytes = 16 * 1024
const orNull = (schema: object) => ({ oneOf: [schema, { type: 'null' }] })
const faults = compileSchema({
  type: 'object',
  additionalProperties: false,
  properties: {
    displayName: orNull({ type: 'string', minLength: 1, maxLength: 200 }),
    email: orNull({ type: 'string', minLength: 1, maxLength: 320 }),
  },
})

interface ProfilePatch {
  readonly displayName?: string | null
  readonly email?: string | null
}

export interface OwnProfileParts extends WriteParts {
  readonly users: Model
  readonly rights: Rights
}

/** `GET users/-`: who the caller is. */
export async function ownProfile(parts: OwnProfileParts, call: Call): Promise<Answer> {
  const caller = userOf(call)
  const { roles } = await parts.rights.rolesOf(caller)
  const { displayName, email } = specOf(await storedUser(parts, caller))
  const held = [...new Set(roles.map(({ name }) => name))]
  const profile = { name: caller.name, displayName, email, roles: held }
  return taggedAnswer(call, 'application/json', JSON.stringify(profile))
}

/** `PATCH users/-`: what somebody says of itself; a null takes it away. */
export async function changeOwnProfile(parts: OwnProfileParts, call: Call): Promise<Answer> {
  const caller = userOf(call)
  const { request } = call
  const types = ['application/merge-patch+json', 'application/json'] as const
  const { value } = parseJsonBody(request.headers['content-type'], await request.readBody(maxBytes), types)
  refuseBody('the profile', faults(value))
  await storedUser(parts, caller)
  const bodyFor = (stored: StoredObject) => patched(stored, value as ProfilePatch)
  try {
    await updateObject(parts, parts.users, { name: caller.name, headers: {}, part: 'object', bodyFor })
  } catch (error) {
    throw asSent(error)
  }
  return ownProfile(parts, call)
}

/** The model speaks of the object, the caller of what it sent. */
function asSent(error: unknown): unknown {
  if (!isApiError(error) || !error.errors) return error
  const errors = error.errors.map(({ pointer, ...fault }) => {
    const [, field = ''] = pointer.match(/^\/spec\/(.*)/) ?? []
    return { ...fault, pointer: `/${field}`, field }
  })
  const [first] = errors
  return new ApiError('Invalid', `the profile is not valid: ${first?.field} ${first?.message}`, {
    errors,
    cause: error,
  })
}

function patched(stored: StoredObject, patch: ProfilePatch): JsonObject {
  const user = fromData(stored.data)
  const spec = { ...(user['spec'] as object), ...patch }
  return { ...user, spec: Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null)) }
}

async function storedUser({ store, users }: OwnProfileParts, { name, uid }: UserCaller): Promise<StoredObject> {
  const user = await store.get(users, name)
  if (user?.uid === uid) return user
  throw new ApiError('Unauthenticated', `user "${name}" is no longer there`)
}

function specOf({ data }: StoredObject): ProfilePatch {
  return fromData(data)['spec'] ?? {}
}

function userOf({ caller }: Call): UserCaller {
  if (caller.kind === 'user') return caller
  throw new ApiError('Forbidden', 'only users have a profile')
}
