import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { startPergola } from './pergola-process.ts'

const token = 'stop-stop-stop-stop-stop-stop-stop-stop'
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

test('a request in flight at SIGTERM is answered after the server has turned unready, then the server exits with 0', async () => {
  await using pergola = startPergola({ env: { PERGOLA_BOOTSTRAP_ADMIN_TOKEN: token } })
  const url = await pergola.url()
  const upload = request(`${url}/api/v1alpha1/roles`, {
    method: 'POST',
    headers: { ...headers, expect: '100-continue' },
  })
  upload.flushHeaders()
  await once(upload, 'continue')
  pergola.signal('SIGTERM')
  await expect
    .poll(() =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status,
        () => 'refused',
      ),
    )
    .not.toBe(200)
  upload.end(JSON.stringify({ metadata: { name: 'in-flight' }, rules: [] }))
  const [answer] = (await once(upload, 'response')) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(201)
  expect(await pergola.exited).toBe(0)
})
