import { requestInfo } from '@pergola/api'
import { expect, test } from 'vitest'
import { eventOf } from './event-of.ts'

const cases: readonly (readonly [request: string, event: string | undefined])[] = [
  ['POST /auth/sessions', 'sign-in'],
  ['GET /auth/sessions', undefined],
  ['DELETE /auth/sessions/-', 'sign-out'],
  ['GET /auth/oidc/acme/callback', 'sign-in'],
  ['GET /auth/oidc/acme', undefined],
  ['PUT /auth/password', 'password-change'],
  ['POST /auth/setup', 'setup'],
  ['PUT /api/v1alpha1/users/ann/password', 'password-set'],
  ['PUT /api/v1alpha1/users/ann', undefined],
  ['DELETE /api/v1alpha1/users/ann/sessions', 'sessions-end'],
  ['GET /api/v1alpha1/users/ann/sessions', undefined],
  ['POST /api/v1alpha1/users/ann/oidcidentities', 'identity-link'],
  ['DELETE /api/v1alpha1/users/ann/oidcidentities', 'identity-unlink'],
  ['GET /api/v1alpha1/users/ann/oidcidentities', undefined],
  ['PUT /apis/a.example/v1/users/ann/password', undefined],
  ['POST /apis/uc.api.platform.run/v1alpha1/personalaccesstokens', 'token-create'],
  ['GET /apis/uc.api.platform.run/v1alpha1/personalaccesstokens', undefined],
  ['DELETE /apis/uc.api.platform.run/v1alpha1/personalaccesstokens/a', 'token-delete'],
  ['DELETE /apis/security.platform.run/v1alpha1/personalaccesstokens', 'token-delete'],
  ['POST /apis/a.example/v1/personalaccesstokens', undefined],
]
for (const [request, event] of cases) {
  test(`${request} is ${event ?? 'no event'}`, () => {
    const [method = '', target = ''] = request.split(' ')
    expect(eventOf(requestInfo({ method, target, headers: {} }))).toBe(event)
  })
}
