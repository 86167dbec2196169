import { createDatabase } from '@pergola/test-servers'
import { expect, inject, test, vi } from 'vitest'
import { assemble } from '../../packages/server/src/assemble.ts'
import { loadConfig } from '../../packages/server/src/base/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { countStatements } from '../../packages/server/src/store/postgres/count-statements.ts'

/** What contract 7 asks for, a look at the newest place every second, and some more. */
const mostInAMinute = 90
const stepMs = 100

test('an idle replica sends at most 90 statements in a minute', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  const config = loadConfig({
    env: { PERGOLA_DATABASE_URL: database.url, PERGOLA_SERVER_PORT: '0', PERGOLA_SERVER_STOP_DELAY: '0' },
  })
  const turn = setImmediate
  using statements = countStatements({ andPasses: true })
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'performance', 'Date'] })
  try {
    const server = await assemble({ config, log: createLog({ level: 'error', pretty: false, write: () => {} }) })
    const pass = async (milliseconds: number) => {
      for (let passed = 0; passed < milliseconds; passed += stepMs) {
        await vi.advanceTimersByTimeAsync(stepMs)
        // What was sent is answered, and what comes of that is sent.
        for (let quiet = 0; quiet < 5; quiet = statements.open === 0 ? quiet + 1 : 0) {
          await new Promise<void>((resume) => void turn(resume))
        }
      }
    }
    try {
      // The first minute has what there is to do after a start.
      await pass(80_000)
      const before = statements.count
      await pass(60_000)
      const sent = statements.texts.slice(before).map((text) => text.trim().slice(0, 60))
      expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(mostInAMinute)
      expect(sent.length).toBeGreaterThan(40)
    } finally {
      vi.useRealTimers()
      await server.close()
    }
  } finally {
    vi.useRealTimers()
  }
})
