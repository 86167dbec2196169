import { ApiError } from '@pergola/api'
import type { Administrator } from '../base/administrator.ts'
import type { Answer, Call, IncomingRequest } from '../base/call.ts'
import type { Clock } from '../base/clock.ts'
import type { HostRoute } from '../base/host-route.ts'
import type { Passwords } from '../credentials/passwords.ts'
import { passwordLengths } from '../credentials/password-rules.ts'
import { digestOf, newSecret } from '../credentials/secret.ts'
import { createOperation } from '../models/create.ts'
import { jsonAnswer } from '../models/json-answer.ts'
import type { Model } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import { afterOthers } from '../platform/access-order.ts'
import { bindingsWhere, superAdministrator } from '../platform/administrators.ts'
import { isManaged } from '../platform/managed-binding.ts'
import { roleOfBinding } from '../platform/role-binding-model.ts'
import type { Store } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import { jsonRequest } from '../validation/json-request.ts'
import { formType, isForm, readForm } from '../validation/read-form.ts'
import { toldAsSent } from '../validation/refuse-body.ts'
import { newPassword, refuseWeak } from './password-endpoint.ts'
import { seeOther } from './see-other.ts'
import { failedPage, pageAnswer, wantsPage, type SignInPage } from './sign-in-page.ts'

export const setupSecretMs = 3_600_000
/** Of the binding that makes the first administrator: there can be one of that name. */
const firstBinding = 'first-administrator'

const text = { type: 'string', minLength: 1, maxLength: 253 }

interface Setup extends Administrator {
  readonly secret: string
}

const setup = jsonRequest<Setup>('the setup', {
  type: 'object',
  required: ['secret', 'username', 'password'],
  additionalProperties: false,
  properties: { secret: text, username: text, password: newPassword },
})

export interface SetupParts {
  readonly store: Store
  readonly clock: Clock
  readonly users: Model
  readonly bindings: Model
  readonly passwords: Passwords
  /** Why no password may be sent here, if so. */
  readonly insecure?: () => string | undefined
}

/** Whether nobody is super administrator yet; whom a provider makes one for a while is not counted. */
export async function needsSetup({ store, bindings }: SetupParts): Promise<boolean> {
  for await (const binding of bindingsWhere({ store, bindings }, roleOfBinding, superAdministrator)) {
    if (!isManaged(fromData(binding.data))) return false
  }
  return true
}

/** Of replicas that start together, each prints one. */
const mostSecrets = 20

/**
 * A secret that makes the first administrator, on any replica, within an hour. Those that others were given stay valid; the
 * first that is used ends all.
 */
export async function newSetupSecret({ store, clock }: SetupParts): Promise<string> {
  const secret = newSecret('pgi_')
  await store.sql({
    text: `DELETE FROM setup_secrets WHERE expires_at <= $1
           OR digest NOT IN (SELECT digest FROM setup_secrets ORDER BY expires_at DESC LIMIT $2)`,
    values: [clock.now(), mostSecrets - 1],
  })
  await store.sql({
    text: 'INSERT INTO setup_secrets (digest, expires_at) VALUES ($1, $2)',
    values: [digestOf(secret), clock.now() + setupSecretMs],
  })
  return secret
}

export function setupRoutes(parts: SetupParts): readonly HostRoute[] {
  const path = '/auth/setup'
  const username = { type: 'string' }
  return [
    {
      id: 'readSetup',
      method: 'GET',
      path,
      summary: 'Ask whether the first administrator is still to be made; browsers get a page to make it',
      isPublic: true,
      answers: [
        {
          status: 200,
          description: 'Whether it is, and the name of the caller where it has signed in.',
          schema: { type: 'object', required: ['needed'], properties: { needed: { type: 'boolean' }, username } },
        },
      ],
      handle: (call) => whereToBegin(parts, call),
    },
    {
      id: 'setUp',
      method: 'POST',
      path,
      summary: 'Make the first administrator',
      isPublic: true,
      body: { ...setup, types: [...setup.types, formType] },
      answers: [
        {
          status: 201,
          description: 'Its name.',
          schema: { type: 'object', required: ['username'], properties: { username } },
        },
        { status: 303, description: 'To the login page, for the form of the page.' },
      ],
      failures: ['AlreadyExists', 'CrossSite'],
      handle: (call) => setUp(parts, call),
    },
  ]
}

/** `GET /auth/setup`: what a console begins with: the first administrator, a login, or what somebody may see. */
async function whereToBegin(parts: SetupParts, { caller, request }: Call): Promise<Answer> {
  if (wantsPage(request)) return (await needsSetup(parts)) ? pageAnswer(setupPage) : seeOther('/auth/login', [])
  const begin =
    caller.kind === 'anonymous' ? { needed: await needsSetup(parts) } : { needed: false, username: caller.name }
  return jsonAnswer(200, Buffer.from(JSON.stringify(begin)), { 'cache-control': 'no-store' })
}

const setupPage: SignInPage = {
  title: 'First administrator',
  lead: 'Nobody administers this server yet. Whoever has the setup secret makes the first account.',
  action: '/auth/setup',
  button: 'Make the account',
  fields: [
    {
      name: 'secret',
      label: 'Setup secret',
      hint: 'The server printed it when it started; "pergola setup-link" makes another one.',
      type: 'password',
      autocomplete: 'off',
    },
    { name: 'username', label: 'User name', value: 'admin', autocomplete: 'username' },
    {
      name: 'password',
      label: 'Password',
      hint: `At least ${passwordLengths.least} characters.`,
      type: 'password',
      autocomplete: 'new-password',
    },
  ],
}

/** `POST /auth/setup`. */
async function setUp(parts: SetupParts, { request }: Call): Promise<Answer> {
  if (!isForm(request)) {
    const { username } = await makeFirst(parts, request, () => setup.read(request))
    return jsonAnswer(201, Buffer.from(JSON.stringify({ username })))
  }
  const sent = await readForm(request)
  try {
    await makeFirst(parts, request, async () => setup.check({ ...sent, secret: sent['secret']?.trim() }))
    return seeOther('/auth/login', [])
  } catch (error) {
    return failedPage(error, setupPage, sent)
  }
}

async function makeFirst(
  parts: SetupParts,
  request: IncomingRequest,
  read: () => Promise<Setup>,
): Promise<Administrator> {
  const insecure = parts.insecure?.()
  if (insecure !== undefined) throw new ApiError('Forbidden', insecure)
  const { secret, username, password } = await read()
  const digest = digestOf(secret)
  const [known] = await parts.store.sql({
    text: 'SELECT digest FROM setup_secrets WHERE digest = $1 AND expires_at > $2',
    values: [digest, parts.clock.now()],
  })
  if (!known)
    throw new ApiError(
      'Unauthenticated',
      'the setup secret is not valid or has expired; make another one by "pergola setup-link"',
    )
  // Made meanwhile in another way: a secret that was printed at a start must not make a second one.
  if (!(await needsSetup(parts))) throw new ApiError('AlreadyExists', 'there is a super administrator already')
  refuseWeak('the setup', { field: '/password', password, username })
  await toldAsSent('the setup', { '/metadata/name': '/username' }, () =>
    createFirstAdministrator(parts, { username, password }),
  )
  request.note({ account: username })
  return { username, password }
}

/** User, password and binding at once; of several who try, one does it. */
export async function createFirstAdministrator(parts: SetupParts, administrator: Administrator): Promise<void> {
  const { store, users, bindings, passwords } = parts
  const { username, password } = administrator
  const user = await createOperation(parts, users, { metadata: { name: username }, spec: { disabled: false } })
  const binding = await createOperation(parts, bindings, {
    metadata: { name: firstBinding },
    roleRef: { apiGroup: '', kind: 'Role', name: superAdministrator },
    subjects: [{ apiGroup: '', kind: 'User', name: username }],
  })
  const also = [await passwords.set(user.uid, password), { text: 'DELETE FROM setup_secrets', values: [] }]
  try {
    await store.write([user, binding], { guards: [afterOthers], also })
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error
    throw new ApiError('AlreadyExists', 'there is a super administrator already, or a user of that name', {
      cause: error,
    })
  }
}
