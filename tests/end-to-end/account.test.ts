import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assemble } from '../../packages/server/src/assembly/assemble.ts'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'

const ann = { username: 'ann', password: 'correct horse battery' }

test('an unused setup secret is rejected once there is a super administrator', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-account-'))
  const env = {
    PERGOLA_DATABASE_URL: `sqlite:${join(directory, 'test.db')}`,
    PERGOLA_SERVER_PORT: '0',
    PERGOLA_SERVER_STOP_DELAY: '0',
  }
  const log = createLog({ level: 'error', pretty: false, write: () => {} })
  const first = await assemble({ config: loadConfig({ env }), log })
  await first.close()
  const second = await assemble({ config: loadConfig({ env }), administrator: ann, log })
  try {
    const response = await fetch(`${second.url}/auth/setup`, {
      method: 'POST',
      headers: { origin: second.url, 'content-type': 'application/json' },
      body: JSON.stringify({ secret: first.setupSecret, username: 'late', password: ann.password }),
    })
    expect(await response.json()).toMatchObject({ reason: 'Unauthenticated' })
  } finally {
    await second.close()
    rmSync(directory, { recursive: true })
  }
})
