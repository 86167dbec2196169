import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { createDatabase } from '@pergola/test-servers'
import { expect, inject, test, vi } from 'vitest'
import { assemble } from '../../packages/server/src/assembly/assemble.ts'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { countStatements } from '../../packages/server/src/store/postgres/contract/count-statements.ts'

/** One poll of the newest revision per second, plus periodic work. */
const mostInAMinute = 90
const stepMs = 100

const models = 12
const watchesOfEach = 4

test('an idle replica sends at most 90 statements in a minute, however many models and watches there are', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  const config = loadConfig({
    env: { PERGOLA_DATABASE_URL: database.url, PERGOLA_SERVER_PORT: '0', PERGOLA_SERVER_STOP_DELAY: '0' },
  })
  const turn = setImmediate
  using statements = countStatements({ andPasses: true })
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'performance', 'Date'] })
  try {
    const log = createLog({ level: 'error', pretty: false, write: () => {} })
    const server = await assemble({ config, administrator: { username: 'admin', password: 'Sufficient-1-2-3' }, log })
    const pass = async (milliseconds: number) => {
      for (let passed = 0; passed < milliseconds; passed += stepMs) {
        await vi.advanceTimersByTimeAsync(stepMs)
        // Wait until all statements are answered and their follow-ups are sent.
        for (let quiet = 0; quiet < 5; quiet = statements.open === 0 ? quiet + 1 : 0) {
          await new Promise<void>((resume) => void turn(resume))
        }
      }
    }
    try {
      const watches = await watchModels(server.url, await server.signIn('admin'))
      // Skip the work after a start.
      await pass(80_000)
      // Liveness sends no statement, not even to authenticate the caller.
      const alive = Array.from({ length: 60 }, () => isAlive(server.url))
      const minutes: (readonly string[])[] = []
      for (let minute = 0; minute < 2; minute++) {
        const before = statements.count
        await pass(60_000)
        minutes.push(statements.texts.slice(before).map((text) => text.trim().slice(0, 60)))
      }
      expect(new Set(await Promise.all(alive))).toEqual(new Set([200]))
      // Hourly work of about 20 statements may fall into one of the minutes.
      const [sent = []] = minutes.toSorted((one, other) => one.length - other.length)
      expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(mostInAMinute)
      expect(sent.length).toBeGreaterThan(40)
      expect(watches.filter(({ closed }) => closed)).toEqual([])
    } finally {
      vi.useRealTimers()
      await server.close()
    }
  } finally {
    vi.useRealTimers()
  }
})

async function isAlive(url: string): Promise<number | undefined> {
  const headers = { authorization: 'Bearer pgs_of-nobody-of-nobody-of-nobody-of-nobody' }
  const asking = request(`${url}/livez`, { headers, agent: false }).end()
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

/** Creates models and opens several watches on each. */
async function watchModels(url: string, token: string): Promise<readonly IncomingMessage[]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = async (path: string, more: object, body = ''): Promise<IncomingMessage> => {
    const asking = request(`${url}/apis/${path}`, { headers, agent: false, ...more }).end(body)
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    return answer
  }
  const watches: IncomingMessage[] = []
  for (let at = 0; at < models; at++) {
    const plural = `things${'abcdefghijklmnop'.charAt(at)}`
    const spec = {
      group: 'idle.example.com',
      kind: `Thing${at}`,
      singular: `${plural}one`,
      plural,
      versions: [{ name: 'v1', schema: { properties: { spec: { type: 'object' } } } }],
    }
    const declared = await ask('plugin.platform.run/v1alpha1/models', { method: 'POST' }, JSON.stringify({ spec }))
    expect(declared.statusCode).toBe(201)
    for (let watch = 0; watch < watchesOfEach; watch++) {
      const stream = await ask(`idle.example.com/v1/${plural}`, {
        headers: { ...headers, accept: 'text/event-stream' },
      })
      expect(stream.statusCode).toBe(200)
      watches.push(stream)
    }
  }
  return watches
}
