import { ApiError } from '@pergola/api'
import type { SecretCookie } from '../../call/cookie.ts'
import type { Answer, Call, IncomingRequest, UserCaller } from '../../call/call.ts'
import type { HostRoute } from '../../call/host-route.ts'
import type { Passwords } from '../../credentials/passwords.ts'
import type { NewSession, Sessions } from '../../credentials/sessions.ts'
import type { Session } from '../../store/records/sessions.ts'
import { GuardFailed } from '../../store/guard-failed.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import { jsonRequest } from '../../validation/json-request.ts'
import { itemsOf } from '../../validation/items-of.ts'
import type { FoundUser } from '../../access/find-user.ts'
import type { LoginLimits } from '../../credentials/login-limits.ts'

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
export const login = jsonRequest<Login>('the login', {
  type: 'object',
  required: ['username', 'password'],
  additionalProperties: false,
  properties: {
    username: text(253),
    password: text(1_024),
    transport: {
      enum: ['cookie', 'token'],
      default: 'cookie',
      description: 'Whether to return the session as a cookie, or as a token for `Authorization: Bearer`.',
    },
  },
})

interface Login {
  readonly username: string
  readonly password: string
  readonly transport: 'cookie' | 'token'
}

const timestamp = { type: 'string', format: 'date-time' }
export const sessionFields = {
  id: { type: 'string' },
  username: { type: 'string' },
  transport: { enum: ['cookie', 'token'] },
  createdAt: timestamp,
  usedAt: timestamp,
  expiresAt: timestamp,
  address: { type: 'string' },
  agent: { type: 'string', description: 'The `User-Agent` of the login.' },
}

export function sessionRoutes(parts: SessionsEndpointParts): readonly HostRoute[] {
  const required = Object.keys(sessionFields)
  const token = { type: 'string', description: 'With `"transport": "token"`. It is shown only here.' }
  const current = { type: 'boolean', description: 'Whether this request was made with this session.' }
  return [
    {
      id: 'signIn',
      method: 'POST',
      path: '/auth/sessions',
      summary: 'Sign in with a password',
      isPublic: true,
      body: login,
      answers: [
        {
          status: 201,
          description: 'The session.',
          schema: { type: 'object', required, properties: { ...sessionFields, token } },
        },
      ],
      failures: ['TooManyRequests', 'CrossSite'],
      handle: (call) => signIn(parts, call),
    },
    {
      id: 'listSessions',
      method: 'GET',
      path: '/auth/sessions',
      summary: "List the caller's own sessions",
      answers: [
        {
          status: 200,
          description: 'The sessions that have not ended.',
          schema: itemsOf({
            type: 'object',
            required: [...required, 'current'],
            properties: { ...sessionFields, current },
          }),
        },
      ],
      handle: (call) => ownSessions(parts, call),
    },
    {
      id: 'signOut',
      method: 'DELETE',
      path: '/auth/sessions/{id}',
      summary: "End one of the caller's own sessions",
      pathParameters: { id: 'Of the session; `-` is the session that makes the request.' },
      answers: [
        {
          status: 200,
          description: 'The session that has ended.',
          schema: {
            type: 'object',
            required: ['id', 'ended'],
            properties: { id: { type: 'string' }, ended: { const: true } },
          },
        },
      ],
      failures: ['CrossSite'],
      handle: (call, { id = '' }) => signOut(parts, call, id),
    },
  ]
}

export interface SessionsEndpointParts {
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly limits: LoginLimits
  readonly cookie: SecretCookie
  /** The reason why sign-in is refused on this host, if there is one. */
  readonly insecure: () => string | undefined
  /** A user who may sign in, with a guard that fails when that changes. */
  readonly findUser: (name: string) => Promise<FoundUser | undefined>
  /** Called after a session was ended here. */
  readonly onEnd: (uid: string) => void
}

/** `POST /auth/sessions`: signs in. The answer and its timing do not reveal whether the name or the password was wrong. */
async function signIn(parts: SessionsEndpointParts, { request }: Call): Promise<Answer> {
  refuseInsecure(parts)
  const wanted = await login.read(request)
  const { secret, session, cookie } = await signInBy(parts, request, wanted)
  const shown = shownSession(session)
  const kept = { 'cache-control': 'no-store' }
  if (wanted.transport === 'token') return jsonAnswer(201, toJson({ ...shown, token: secret }), kept)
  return jsonAnswer(201, toJson(shown), { ...kept, 'set-cookie': cookie })
}

function refuseInsecure({ insecure }: SessionsEndpointParts): void {
  const why = insecure()
  if (why !== undefined) throw new ApiError('Forbidden', why)
}

/** Signs in by name and password; used by the API and the login page. */
export async function signInBy(
  parts: SessionsEndpointParts,
  request: IncomingRequest,
  { username, password, transport }: Login,
): Promise<BegunSession> {
  refuseInsecure(parts)
  const attempt = { account: username, address: request.address }
  const proven = await parts.limits.attempt(attempt, async (known) => {
    const user = await parts.findUser(username)
    // Logs the stored name, not the typed one: people type passwords into the wrong field.
    if (user) request.note({ account: user.name })
    const proof = await parts.passwords.check(user?.uid, password, known)
    return user && proof && { user, proof, guards: [user.guard] }
  })
  if (!proven) throw new ApiError('Unauthenticated', 'the user name or the password is wrong')
  return beginSession(parts, request, { ...proven, transport })
}

export interface BegunSession {
  readonly secret: string
  readonly session: Session
  readonly cookie: string
}

export type BeginSessionParts = Pick<SessionsEndpointParts, 'sessions' | 'cookie'>

/** Begins a session for a user who has been authenticated; includes the cookie for a browser. */
export async function beginSession(
  { sessions, cookie }: BeginSessionParts,
  { address, headers }: IncomingRequest,
  wanted: Omit<NewSession, 'address' | 'agent'>,
): Promise<BegunSession> {
  const agent = (headers['user-agent'] ?? '').slice(0, 200)
  const { secret, session } = await sessions.begin({ ...wanted, address, agent }).catch((error: unknown) => {
    if (!(error instanceof GuardFailed)) throw error
    const detail = 'the account was changed while you signed in; sign in again'
    throw new ApiError('Unauthenticated', detail, { cause: error })
  })
  // The cookie is set once, so it must outlive the session; the server ends idle sessions.
  const maxAge = Math.floor((session.endsAt - session.createdAt) / 1000)
  return { secret, session, cookie: cookie.set(secret, maxAge) }
}

/** `GET /auth/sessions`: lists the caller's sessions. */
async function ownSessions({ sessions }: SessionsEndpointParts, call: Call): Promise<Answer> {
  const { uid, sessionId } = signedIn(call)
  const items = (await sessions.of(uid)).map((session) => ({
    ...shownSession(session),
    current: session.id === sessionId,
  }))
  return jsonAnswer(200, toJson({ items }))
}

/** `DELETE /auth/sessions/<id>`: ends a session; `-` is the caller's current one. */
async function signOut(parts: SessionsEndpointParts, call: Call, id: string): Promise<Answer> {
  const caller = signedIn(call)
  const isCurrent = id === '-' || id === caller.sessionId
  const ended = isCurrent ? caller.sessionId : id
  if (ended === undefined || !(await parts.sessions.end(caller.uid, ended))) {
    throw new ApiError('NotFound', `you have no session "${id}"`, { params: { kind: 'session', name: id } })
  }
  parts.onEnd(caller.uid)
  const headers = isCurrent && caller.via === 'cookie' ? { 'set-cookie': parts.cookie.cleared } : {}
  return jsonAnswer(200, toJson({ id: ended, ended: true }), headers)
}

/** Requires a session: tokens act for a user but may not manage that user's sessions and passwords. */
export function signedIn({ caller }: Call): UserCaller {
  if (caller.kind === 'user' && caller.sessionId !== undefined) return caller
  throw new ApiError('Forbidden', 'this endpoint requires a session; personal access tokens are not accepted')
}

export function shownSession(session: Session): Readonly<Record<string, string>> {
  const { id, name, transport, createdAt, usedAt, expiresAt, address, agent } = session
  const times = { createdAt: time(createdAt), usedAt: time(usedAt), expiresAt: time(expiresAt) }
  return { id, username: name, transport, ...times, address, agent }
}

const time = (milliseconds: number): string => new Date(milliseconds).toISOString()

function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
