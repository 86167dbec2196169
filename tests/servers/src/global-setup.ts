import type { TestProject } from 'vitest/node'
import { postgresVersions, startPostgres, type PostgresVersion } from './postgres.ts'

/**
 * Starts the servers that tests get from `inject('postgres')`, once per run. Vitest calls the returned function at the end,
 * also after failures. With `TEST_ENGINE=SQLite` no server is started.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  await using started = new AsyncDisposableStack()
  const start = async (version: PostgresVersion) => [version, started.use(await startPostgres(version)).url] as const
  const wanted = process.env['TEST_ENGINE'] === 'SQLite' ? [] : postgresVersions
  const outcomes = await Promise.allSettled(wanted.map(start))
  const urls = outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
  provide('postgres', Object.fromEntries(urls) as Record<PostgresVersion, string>)
  const running = started.move()
  return () => running.disposeAsync()
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: Record<PostgresVersion, string>
  }
}
