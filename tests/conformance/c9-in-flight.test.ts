import { once } from 'node:events'
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { thing } from './collection.ts'
import { core, person } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

onEachEngine(
  (api) => {
    /** A create whose body the server asks for and does not get yet. */
    const held = async (path: string, token: string): Promise<ClientRequest> => {
      const { hostname, port } = new URL(api.origin())
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', expect: '100-continue' }
      const request = httpRequest({ hostname, port, method: 'POST', path, agent: new Agent(), headers })
      request.flushHeaders()
      await once(request, 'continue')
      return request
    }

    test('C9-211 a caller has at most a quarter of the requests in flight, and others are served meanwhile', async () => {
      const { path } = await api.things()
      const ann = await person(api, { roles: ['super-administrator'] })
      const both = [await held(path, ann.token), await held(path, ann.token)]
      const third = await api.request('GET', `${core}/users`, { token: ann.token })
      expectProblem(third, 429, 'TooManyRequests')
      expect(third.text).toContain('you have 2 requests open already')
      expect(Number(third.headers['retry-after'])).toBeGreaterThan(0)
      expectStatus(await api.request('GET', `${core}/users`), 200)

      for (const request of both) {
        request.end(JSON.stringify(thing()))
        const [response] = (await once(request, 'response')) as [IncomingMessage]
        expect(response.resume().statusCode).toBe(201)
      }
      expectStatus(await api.request('GET', `${core}/users`, { token: ann.token }), 200)
    })
  },
  { env: { PERGOLA_HTTP_MAX_IN_FLIGHT: '8' } },
)
