import { ApiError } from '@pergola/api'
import { createFirstAdministrator, needsSetup, type FirstAdministratorParts } from '../../access/first-administrator.ts'
import type { Administrator } from '../../config/administrator.ts'
import type { Answer, Call, IncomingRequest } from '../../call/call.ts'
import type { HostRoute } from '../../call/host-route.ts'
import { passwordLengths } from '../../credentials/password-rules.ts'
import { isSetupSecret } from '../../credentials/setup-secrets.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import { jsonRequest } from '../../validation/json-request.ts'
import { formType, isForm, readForm } from '../../validation/read-form.ts'
import { withErrorsAsSent } from '../../validation/refuse-body.ts'
import { newPassword, refuseWeak } from './password-endpoint.ts'
import { seeOther } from './see-other.ts'
import { failedPage, pageAnswer, wantsPage, type SignInPage } from './sign-in-page.ts'

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

export interface SetupParts extends FirstAdministratorParts {
  /** The reason why passwords are refused on this host, if there is one. */
  readonly insecure: () => string | undefined
  /** Where browsers find the page for the first administrator: this route's own path without a built console. */
  readonly setupPage: string
}

const path = '/auth/setup'

export function setupRoutes(parts: SetupParts): readonly HostRoute[] {
  const username = { type: 'string' }
  return [
    {
      id: 'readSetup',
      method: 'GET',
      path,
      summary: 'Check whether the first administrator must be created; browsers get a page for it',
      isPublic: true,
      answers: [
        {
          status: 200,
          description: 'Whether it must be created, and the user name of a signed-in caller.',
          schema: { type: 'object', required: ['needed'], properties: { needed: { type: 'boolean' }, username } },
        },
        { status: 303, description: 'Redirects browsers to the page of the console, or to the login page.' },
      ],
      handle: (call) => whereToBegin(parts, call),
    },
    {
      id: 'setUp',
      method: 'POST',
      path,
      summary: 'Create the first administrator',
      isPublic: true,
      body: { ...setup, types: [...setup.types, formType] },
      answers: [
        {
          status: 201,
          description: 'The user name of the administrator.',
          schema: { type: 'object', required: ['username'], properties: { username } },
        },
        { status: 303, description: 'Redirects to the login page, after the form was sent.' },
      ],
      failures: ['AlreadyExists', 'CrossSite'],
      handle: (call) => setUp(parts, call),
    },
  ]
}

/** `GET /auth/setup`: tells a console where to start: create the first administrator, sign in, or show the caller's pages. */
async function whereToBegin(parts: SetupParts, { caller, request }: Call): Promise<Answer> {
  if (wantsPage(request)) return (await needsSetup(parts)) ? firstPage(parts) : seeOther('/auth/login', [])
  const begin =
    caller.kind === 'anonymous' ? { needed: await needsSetup(parts) } : { needed: false, username: caller.name }
  return jsonAnswer(200, Buffer.from(JSON.stringify(begin)), { 'cache-control': 'no-store' })
}

function firstPage({ setupPage: at }: SetupParts): Answer {
  return at === path ? pageAnswer(setupPage) : seeOther(at, [])
}

const setupPage: SignInPage = {
  title: 'First administrator',
  lead: 'This server has no administrator yet. Enter the setup secret to create the first account.',
  action: '/auth/setup',
  button: 'Make the account',
  fields: [
    {
      name: 'secret',
      label: 'Setup secret',
      hint: 'The server printed it when it started; after an hour it expires. Restart the server for another one.',
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

/** `POST /auth/setup`: creates the first administrator. */
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
  const insecure = parts.insecure()
  if (insecure !== undefined) throw new ApiError('Forbidden', insecure)
  const { secret, username, password } = await read()
  if (!(await isSetupSecret(parts.store, parts.clock, secret))) {
    throw new ApiError(
      'Unauthenticated',
      'the setup secret is not valid, was used or has expired; pergola setup-link makes another one while there is no administrator',
    )
  }
  // The first administrator may have been created in another way. The secret printed at a start must not create a second one.
  if (!(await needsSetup(parts))) throw new ApiError('AlreadyExists', 'there is a super administrator already')
  refuseWeak('the setup', { field: '/password', password, username })
  await withErrorsAsSent('the setup', { '/metadata/name': '/username' }, () =>
    createFirstAdministrator(parts, { username, password }),
  )
  request.note({ account: username })
  return { username, password }
}
