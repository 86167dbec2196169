import { expect, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import { oidcProvidersOf } from './oidc-provider.ts'

const settings = { name: 'a', issuer: 'https://a.example', clientId: 'p', scopes: ['openid'], roles: {} }
const read = (name: string) => {
  if (name === 'there') return 'secret\n'
  if (name === 'empty') return '\n'
  throw new ConfigError(`${name} cannot be read`)
}
const providers = (...all: readonly object[]) =>
  oidcProvidersOf({ maxAge: 1, providers: all.map((one) => ({ ...settings, ...one })) }, read)

test('a provider has a display name, a normalized issuer, and the secret from its file', () => {
  const [provider] = providers({ clientSecretFile: 'there', rolesClaim: 'g', roles: { x: ['author'] } })
  expect(provider).toMatchObject({ displayName: 'a', issuer: 'https://a.example/', clientSecret: 'secret' })
  expect(provider?.roles.get('x')).toEqual(['author'])
})

test('all errors are reported at once, each with its provider', () => {
  const faulty = () =>
    providers(
      { clientSecretFile: 'not there' },
      { issuer: 'https://A.example/', roles: { x: ['author'] } },
      { name: 'b', issuer: 'https://b.example', clientSecretFile: 'empty', rolesClaim: 'groups' },
    )
  const faults = [
    'oidc.providers.0 (a): not there cannot be read',
    'oidc.providers.1 (a): another provider has this name; choose another one',
    'oidc.providers.1 (a): a has the same issuer; keep one of them',
    'oidc.providers.1 (a): roles are mapped without rolesClaim; say which claim holds the values',
    'oidc.providers.2 (b): rolesClaim is set without roles or requiredGroups; say which value gives which role',
    "oidc.providers.2 (b): empty is empty; it must hold the client's secret",
  ]
  expect(faulty).toThrow(new ConfigError(faults.join('\n')))
})

test('required groups need a claim, and are enough for one', () => {
  const [provider] = providers({ rolesClaim: 'g', requiredGroups: ['staff'] })
  expect(provider?.requiredGroups).toEqual(new Set(['staff']))
  expect(() => providers({ requiredGroups: ['staff'] })).toThrow('requiredGroups is set without rolesClaim')
})

test('a provider maps at most as many roles as a login can bind', () => {
  const names = Array.from({ length: 101 }, (_, at) => `role-${at}`)
  expect(() => providers({ rolesClaim: 'g', roles: { x: names } })).toThrow('name 101 different roles; at most 100')
})
