import { createDatabase } from '@pergola/test-servers'
import { isApiError } from '@pergola/api'
import { describe, expect, inject, test } from 'vitest'
import { openPostgresStore } from '../store/postgres/postgres-store.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { createLoginLimits } from './login-limits.ts'

const minute = 60_000

interface Opened extends AsyncDisposable {
  readonly store: Store
}

const engines: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: async () => {
    const store = openSqliteStore(':memory:')
    return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  },
  'PostgreSQL 18': async () => {
    const database = await createDatabase(inject('postgres')['18'])
    const store = await openPostgresStore({ url: database.url, onConnectionLost: () => {} })
    return {
      store,
      [Symbol.asyncDispose]: async () => {
        await store[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
      },
    }
  },
}

for (const [engine, open] of Object.entries(engines)) {
  describe(`login limits on ${engine}`, () => {
    async function setUp() {
      const opened = await open()
      let now = 1_000_000_000_000
      let guesses = 0
      const limits = createLoginLimits(opened.store, { now: () => now })
      /** Returns `in`, `wrong`, or the seconds to wait. */
      const login = async (account: string, address: string, isRight = false): Promise<string | number> => {
        try {
          const guess = async () => (guesses++, isRight || undefined)
          return (await limits.attempt({ account, address }, guess)) ? 'in' : 'wrong'
        } catch (error) {
          if (!isApiError(error) || error.reason !== 'TooManyRequests') throw error
          return Number(error.headers?.['retry-after'])
        }
      }
      return {
        login,
        times: async (count: number, attempt: () => Promise<string | number>) => {
          const answers = []
          for (let at = 0; at < count; at++) answers.push(await attempt())
          return answers
        },
        pass: (milliseconds: number) => (now += milliseconds),
        guesses: () => guesses,
        [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
      }
    }

    test('five guesses for an account from an address, then one every three minutes', async () => {
      await using at = await setUp()
      expect(await at.times(6, () => at.login('ann', '10.0.0.1'))).toEqual([...Array(5).fill('wrong'), 180])
      at.pass(minute)
      expect(await at.login('ann', '10.0.0.1')).toBe(120)
      at.pass(2 * minute)
      expect(await at.times(2, () => at.login('ann', '10.0.0.1'))).toEqual(['wrong', 180])
      at.pass(15 * minute)
      expect(await at.times(6, () => at.login('ann', '10.0.0.1'))).toEqual([...Array(5).fill('wrong'), 180])
    })

    test('of 60 concurrent guesses five are checked', async () => {
      await using at = await setUp()
      await Promise.all(Array.from({ length: 60 }, () => at.login('ann', '10.0.0.1')))
      expect(at.guesses()).toBe(5)
    })

    test('an address gets 50 failures for all accounts; accounts that signed in there before are not blocked', async () => {
      await using at = await setUp()
      expect(await at.login('ann', '10.0.0.1', true)).toBe('in')
      for (let count = 0; count < 50; count++) expect(await at.login(`user-${count}`, '10.0.0.1')).toBe('wrong')
      expect(await at.login('ben', '10.0.0.1', true)).toBe(18)
      expect(await at.login('ann', '10.0.0.1', true)).toBe('in')
      at.pass(31 * 24 * 60 * minute)
      for (let count = 0; count < 50; count++) expect(await at.login(`user-${count}`, '10.0.0.1')).toBe('wrong')
      expect(await at.login('ann', '10.0.0.1', true)).toBe(18)
    })

    test('IPv6 addresses of one /64 network share a limit', async () => {
      await using at = await setUp()
      const answers = []
      for (let host = 1; host <= 6; host++) answers.push(await at.login('ann', `2001:db8::${host}`))
      expect(answers).toEqual([...Array(5).fill('wrong'), 180])
    })

    test('a successful login undoes only its own attempt', async () => {
      await using at = await setUp()
      expect(await at.times(30, () => at.login('ann', '10.0.0.1', true))).toEqual(Array(30).fill('in'))
      await at.times(4, () => at.login('ann', '10.0.0.1'))
      expect(await at.times(3, () => at.login('ann', '10.0.0.1', true))).toEqual(['in', 'in', 'in'])
      expect(await at.times(2, () => at.login('ann', '10.0.0.1'))).toEqual(['wrong', 180])
    })

    test('guesses from many addresses slow an account down increasingly, but never lock it', async () => {
      await using at = await setUp()
      await at.login('ann', '10.1.0.1', true)
      for (let host = 1; host <= 10; host++) expect(await at.login('ann', `10.0.0.${host}`)).toBe('wrong')
      const waits: number[] = []
      for (let host = 1; host <= 40; host++) {
        const seconds = await at.login('ann', `10.0.1.${host}`)
        if (typeof seconds !== 'number') continue
        waits.push(seconds)
        at.pass(seconds * 1_000)
        expect(await at.login('ann', `10.0.1.${host}`)).toBe('wrong')
      }
      expect(waits.length).toBeGreaterThan(20)
      expect(waits).toEqual(waits.toSorted((a, b) => a - b))
      expect(waits.at(-1)).toBeLessThanOrEqual(30)
      // Signed in from this address before.
      expect(await at.login('ann', '10.1.0.1', true)).toBe('in')
      at.pass(30_000)
      expect(await at.login('ann', '10.2.0.1', true)).toBe('in')
    })
  })
}
