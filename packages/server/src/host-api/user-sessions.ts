import { ApiError } from '@pergola/api'
import type { Answer, Call } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import { jsonAnswer } from '../call/json-answer.ts'
import { objectNotFound } from '../call/not-found.ts'
import { assertPowerOver } from '../access/escalation.ts'
import type { Rights } from '../access/rights.ts'
import type { Sessions } from '../credentials/sessions.ts'
import type { Model } from '../models/model.ts'
import { dryRunParameter, flag } from '../models/query/query-parameters.ts'
import type { Store, StoredObject } from '../store/store.ts'
import { itemsOf } from '../validation/items-of.ts'
import { refuseTokens } from './refuse-tokens.ts'
import { sessionFields, shownSession } from './sign-in/sessions-endpoint.ts'

/** The latest ones; a list of those of one user is complete. */
const mostListed = 1_000

export interface UserSessionsParts {
  readonly store: Store
  readonly users: Model
  readonly rights: Rights
  readonly sessions: Sessions
  /** Called after sessions were ended here. */
  readonly onEnd: (uid: string) => void
}

/** Sessions of others, each kind of request with a right of its own. */
export function userSessionRoutes(parts: UserSessionsParts): readonly HostRoute[] {
  const session = { type: 'object', required: Object.keys(sessionFields), properties: sessionFields }
  const path = '/api/v1alpha1/users/{name}/sessions'
  const pathParameters = { name: "The user's name." }
  const ended = { type: 'object', required: ['ended'], properties: { ended: { type: 'integer' } } }
  return [
    {
      id: 'listAllSessions',
      method: 'GET',
      path: '/apis/api.platform.run/v1alpha1/sessions',
      summary: 'List the sessions of all users',
      answers: [
        { status: 200, description: `The ${mostListed} that were used last, latest first.`, schema: itemsOf(session) },
      ],
      handle: async () => answer({ items: (await parts.sessions.all(mostListed)).map(shownSession) }),
    },
    {
      id: 'listUserSessions',
      method: 'GET',
      path,
      summary: 'List the sessions of a user',
      pathParameters,
      answers: [{ status: 200, description: 'The sessions that have not ended.', schema: itemsOf(session) }],
      handle: async (_, { name = '' }) => {
        const { uid } = await findUser(parts, name)
        return answer({ items: (await parts.sessions.of(uid)).map(shownSession) })
      },
    },
    {
      id: 'endUserSessions',
      method: 'DELETE',
      path,
      summary: 'End sessions of a user',
      description: 'Requires every right of the user. Tokens are not affected.',
      pathParameters,
      query: [
        { name: 'id', description: 'Of the session to end; without it all end.', schema: { type: 'string' } },
        dryRunParameter,
      ],
      answers: [{ status: 200, description: 'How many have ended.', schema: ended }],
      failures: ['EscalationForbidden'],
      handle: (call, { name = '' }) => endUserSessions(parts, call, name),
    },
  ]
}

async function endUserSessions(parts: UserSessionsParts, call: Call, name: string): Promise<Answer> {
  refuseTokens(call, 'ends no session')
  const { query } = call.request
  const dryRun = flag(query, 'dryRun')
  const { uid } = await findUser(parts, name)
  await assertPowerOver(parts.rights, call.caller, name)
  const id = query.get('id')
  const found = (await parts.sessions.of(uid)).filter((session) => id === null || session.id === id)
  if (id !== null && found.length === 0) {
    throw new ApiError('NotFound', `user "${name}" has no session "${id}"`, { params: { kind: 'session', name: id } })
  }
  if (!dryRun) {
    await (id === null ? parts.sessions.endAll(uid) : parts.sessions.end(uid, id))
    parts.onEnd(uid)
  }
  return answer({ ended: found.length })
}

async function findUser({ store, users }: UserSessionsParts, name: string): Promise<StoredObject> {
  const user = await store.get(users, name)
  if (!user) throw objectNotFound('user', name)
  return user
}

function answer(value: object): Answer {
  return jsonAnswer(200, Buffer.from(JSON.stringify(value)), { 'cache-control': 'no-store' })
}
