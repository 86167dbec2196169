import { afterAll, beforeAll } from 'vitest'
import type { Browser } from './browser.ts'
import { createTestProvider, type TestProvider } from './oidc-provider.ts'
import { expectStatus } from './request.ts'
import type { ServerSettings } from './server.ts'

export interface TwoProviders {
  /** Returns names and groups only at the userinfo endpoint; its groups are mapped to several roles. */
  readonly first: TestProvider
  /** Has its groups in a nested claim, which is mapped to one role. */
  readonly second: TestProvider
  /** Creates an account at a provider; returns its subject. */
  readonly known: (provider: TestProvider, claims?: Readonly<Record<string, unknown>>) => string
  /** Includes a third provider, `down`, that cannot be reached. */
  readonly settings: ServerSettings
}

/** Not a port that was free a moment ago: another test may listen on it by now. Nobody listens on this one. */
const unreachable = 'http://127.0.0.1:4'

/** Runs both providers during the tests of the file. */
export function startTwoProviders(): TwoProviders {
  const first = createTestProvider('first', { terse: true })
  const second = createTestProvider('second')
  beforeAll(async () => {
    await Promise.all([first.start(), second.start()])
  })
  afterAll(() => Promise.all([first.stop(), second.stop()]))
  let count = 0
  return {
    first,
    second,
    known: (provider, claims = {}) => {
      const subject = `subject-${++count}`
      provider.accounts.set(subject, { preferred_username: `somebody-${count}`, ...claims })
      return subject
    },
    settings: {
      providers: () => [
        first.settings({
          displayName: 'The First',
          rolesClaim: 'groups',
          roles: {
            writers: ['author', 'contributor'],
            staff: ['visitor'],
            chiefs: ['super-administrator'],
            lost: ['not-there'],
          },
        }),
        second.settings({ rolesClaim: '/realm_access/roles', roles: { writers: ['author'] } }),
        { ...first.settings({ displayName: 'The Broken' }), name: 'down', issuer: unreachable },
      ],
    },
  }
}

/** Starts a login and signs in at the provider; returns the callback URL. `change` can alter the authorization request. */
export async function comesBack(
  browser: Browser,
  provider: string,
  change: (url: URL) => void = () => {},
): Promise<URL> {
  const begun = await browser.begin(provider)
  expectStatus(begun, 303)
  const there = new URL(String(begun.headers['location']))
  change(there)
  return browser.atProvider(there.href)
}

export function targetOf({ pathname, search }: URL): string {
  return pathname + search
}
