import type { TestProject } from 'vitest/node'
import { postgresVersions, startPostgres, type PostgresVersion } from './postgres.ts'

/**
 * Starts what tests ask for by `inject('postgres')`, once a run; vitest calls the answer at the end, failed or not.
 * `TEST_ENGINE=SQLite` is for runs in which nobody asks: nothing is started.
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
