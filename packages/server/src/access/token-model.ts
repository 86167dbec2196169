import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import { revoked } from '../credentials/revocations.ts'
import { digestOf } from '../credentials/secret.ts'
import { deepEqual } from '../base/deep-equal.ts'
import { createBuiltInModel } from '../models/definition/built-in-model.ts'
import type { ModelDefinition } from '../models/definition/definition.ts'
import type { JsonObject } from '../models/object.ts'
import type { Accompaniment, Model, ObjectChange, WriteContext } from '../models/model.ts'
import { hasSession, lockSession, sessionExists } from '../store/records/sessions.ts'
import { deleteTokenDigest, insertTokenDigest } from '../store/records/token-digests.ts'
import type { Store } from '../store/store.ts'
import { accessKeys } from './access-keys.ts'

const definition: ModelDefinition = {
  ...accessKeys.tokens,
  version: 'v1alpha1',
  kind: 'PersonalAccessToken',
  singular: 'personalaccesstoken',
  schema: {
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['owner'],
        properties: {
          owner: { type: 'string', minLength: 1, maxLength: 253 },
          description: { type: 'string', maxLength: 500 },
          expiresAt: { type: 'string', format: 'date-time' },
          roles: {
            type: 'array',
            minItems: 1,
            maxItems: 100,
            uniqueItems: true,
            items: { type: 'string', minLength: 1 },
          },
        },
      },
    },
  },
  indexes: [{ name: 'spec.owner' }],
  display: { columns: ['spec.owner', 'spec.description', 'spec.expiresAt'] },
}

/** Where users create their own tokens. */
const tokensPath = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

export const ownerOfToken = 'spec.owner'

interface TokenSpec {
  readonly owner: string
  readonly description?: string
  readonly expiresAt?: string
  readonly roles?: readonly string[]
}

export interface TokenParts {
  readonly store: Store
  readonly clock: Clock
}

/** Describes a personal access token. The secret is shown once and is never part of the object. */
export function createTokenModel(parts: TokenParts): Model {
  return createBuiltInModel(definition, {
    rules: {
      createdAt: tokensPath,
      describesCredentials: true,
      accompany: (change, context) => accompany(parts, change, context),
    },
  })
}

async function accompany(parts: TokenParts, change: ObjectChange, context: WriteContext): Promise<Accompaniment> {
  const { before, after } = change
  const { store = parts.store } = context
  if (!before && after) return made(parts, { uid: change.uid, name: change.name, spec: specOf(after) }, context)
  if (before && !after) return taken({ ...parts, store }, change.uid, specOf(before))
  if (before && after && !deepEqual(lasting(before), lasting(after))) {
    throw new ApiError('Invalid', 'of a token only the description can be changed; make another one')
  }
  return {}
}

interface MadeToken {
  readonly uid: string
  readonly name: string
  readonly spec: TokenSpec
}

async function made(
  { store }: TokenParts,
  { uid, name, spec }: MadeToken,
  { caller, secret }: WriteContext,
): Promise<Accompaniment> {
  if (secret === undefined || caller?.kind !== 'user') {
    throw new ApiError('MethodNotAllowed', `everybody makes tokens for itself, at ${tokensPath}`)
  }
  const { roles, expiresAt } = spec
  const owner = {
    uid: caller.uid,
    name: caller.name,
    tokenName: name,
    ...(roles && { narrowedTo: roles }),
    ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
  }
  const { sessionId } = caller
  if (sessionId !== undefined && !(await hasSession(store, caller.uid, sessionId))) {
    throw new ApiError('Unauthenticated', 'your session has ended; sign in again')
  }
  return {
    guards: [
      { is: 'there', model: accessKeys.users, name: caller.name, expected: { uid: caller.uid } },
      ...(sessionId === undefined ? [] : [sessionExists(caller.uid, sessionId)]),
    ],
    also: [
      // A concurrent sign-out that also ends all tokens must not miss the token being created.
      ...(sessionId === undefined ? [] : [lockSession(caller.uid, sessionId)]),
      insertTokenDigest(digestOf(secret), uid, owner),
    ],
  }
}

async function taken({ store, clock }: TokenParts, uid: string, spec: TokenSpec): Promise<Accompaniment> {
  const owner = await store.get(accessKeys.users, spec.owner)
  return { operations: owner ? [revoked(clock, owner.uid)] : [], also: [deleteTokenDigest(uid)] }
}

function specOf(token: JsonObject): TokenSpec {
  return token['spec'] as TokenSpec
}

function lasting(token: JsonObject): object {
  const { description: _, ...rest } = specOf(token)
  return rest
}
