import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPergola } from './pergola-process.ts'
import { seedAdministrator } from './seed-administrator.ts'

const token = 'pgs_stop-stop-stop-stop-stop-stop-stop-stop'
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

test('a request in flight at SIGTERM is answered after the server became unready; then the server exits with 0', async () => {
  using stack = new DisposableStack()
  const directory = stack.adopt(mkdtempSync(join(tmpdir(), 'pergola-stop-')), (made) =>
    rmSync(made, { recursive: true }),
  )
  const database = `sqlite:${join(directory, 'test.db')}`
  await seedAdministrator(database, token)
  await using pergola = startPergola({ env: { PERGOLA_DATABASE_URL: database } })
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
