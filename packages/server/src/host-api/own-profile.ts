import { ApiError } from '@pergola/api'
import type { Answer, Call, UserCaller } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import type { WriteParts } from '../models/verbs/create.ts'
import type { JsonObject } from '../models/object.ts'
import type { Model } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import { notModified, taggedAnswer } from '../call/tagged-answer.ts'
import { dryRunParameter, flag } from '../models/query/query-parameters.ts'
import { updateObject } from '../models/verbs/update.ts'
import type { Rights } from '../access/rights.ts'
import type { StoredObject } from '../store/store.ts'
import { jsonRequest } from '../validation/json-request.ts'
import { withErrorsAsSent } from '../validation/refuse-body.ts'

const orNull = (schema: object) => ({ oneOf: [schema, { type: 'null' }] })
const patch = jsonRequest<ProfilePatch>(
  'the profile',
  {
    type: 'object',
    additionalProperties: false,
    properties: {
      displayName: orNull({ type: 'string', minLength: 1, maxLength: 200 }),
      email: orNull({ type: 'string', minLength: 1, maxLength: 320 }),
    },
  },
  ['application/merge-patch+json', 'application/json'],
)
const text = { type: 'string' }
const profile = {
  type: 'object',
  required: ['name', 'uid', 'roles'],
  properties: { name: text, uid: text, displayName: text, email: text, roles: { type: 'array', items: text } },
}

interface ProfilePatch {
  readonly displayName?: string | null
  readonly email?: string | null
}

export interface OwnProfileParts extends WriteParts {
  readonly users: Model
  readonly rights: Rights
}

export function profileRoutes(parts: OwnProfileParts): readonly HostRoute[] {
  const path = '/apis/api.platform.run/v1alpha1/users/-'
  return [
    {
      id: 'readProfile',
      method: 'GET',
      path,
      summary: "Read the caller's own profile",
      answers: [{ status: 200, description: 'The profile.', schema: profile }, notModified],
      handle: async (call) => shownProfile(parts, call, await storedUser(parts, userOf(call))),
    },
    {
      id: 'changeProfile',
      method: 'PATCH',
      path,
      summary: "Change the caller's own profile",
      description: 'A field that is null is removed.',
      query: [dryRunParameter],
      body: patch,
      answers: [{ status: 200, description: 'The profile after the change.', schema: profile }],
      failures: ['VersionConflict'],
      handle: (call) => changeOwnProfile(parts, call),
    },
  ]
}

/** The profile of the caller, from the stored user. */
async function shownProfile({ rights }: OwnProfileParts, call: Call, user: StoredObject): Promise<Answer> {
  const { roles } = await rights.rolesOf(call.caller)
  const { displayName, email } = specOf(user)
  const held = [...new Set(roles.map(({ name }) => name))]
  const shown = { name: user.name, uid: user.uid, displayName, email, roles: held }
  return taggedAnswer(call, 'application/json', JSON.stringify(shown))
}

/** `PATCH users/-`: changes the caller's own profile; null removes a field. */
async function changeOwnProfile(parts: OwnProfileParts, call: Call): Promise<Answer> {
  const { name, uid } = userOf(call)
  const dryRun = flag(call.request.query, 'dryRun')
  const sent = await patch.read(call.request)
  await storedUser(parts, { name, uid })
  const bodyFor = (stored: StoredObject) => patched(stored, sent)
  const changed = await withErrorsAsSent('the profile', { '/spec': '' }, () =>
    updateObject(parts, parts.users, { name, bodyFor, dryRun }),
  )
  return shownProfile(parts, call, changed)
}

function patched(stored: StoredObject, sent: ProfilePatch): JsonObject {
  const user = fromData(stored.data)
  const spec = { ...(user['spec'] as object), ...sent }
  return { ...user, spec: Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null)) }
}

async function storedUser(
  { store, users }: OwnProfileParts,
  { name, uid }: Pick<UserCaller, 'name' | 'uid'>,
): Promise<StoredObject> {
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
