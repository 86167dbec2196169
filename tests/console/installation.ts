import { randomBytes } from 'node:crypto'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { startPergola } from '../end-to-end/pergola-process.ts'
import { openStage, type Stage } from './stage.ts'

/** A new installation on PostgreSQL, and browsers for it. */
export async function openInstallation(): Promise<Stage> {
  await using parts = new AsyncDisposableStack()
  const server = parts.use(await startPostgres('18'))
  const database = parts.use(await createDatabase(server.url))
  const pergola = parts.use(
    startPergola({
      env: { PERGOLA_DATABASE_URL: database.url, PERGOLA_SERVER_STOP_DELAY: '0' },
      files: { key: randomBytes(32).toString('base64'), 'pergola.yaml': 'secrets: { keys: [{ file: key }] }' },
    }),
  )
  const url = await pergola.url()
  const { setupSecret = '' } = JSON.parse(pergola.stdout()) as { readonly setupSecret?: string }
  const stage = parts.use(await openStage({ url, database: database.url, setupSecret }))
  const all = parts.move()
  return { ...stage, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
