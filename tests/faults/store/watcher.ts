import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { findFaults, type Check } from './checks/check.ts'

/** A separate connection that observes the database. */
export interface Watcher extends AsyncDisposable {
  /** Number of changes without a revision. */
  pendingChanges(): Promise<number>
  /** Waits until every change has a revision; returns whether that happened in time. */
  untilDrained(seconds: number): Promise<boolean>
  /** Waits until no connection of that application name is left. */
  untilGone(applicationName: string): Promise<void>
  /** Unique keys of the open transactions of connections with that application name. */
  openTransactions(applicationName: string): Promise<readonly string[]>
  find(checks: readonly Check[]): Promise<readonly string[]>
}

export async function connectWatcher(url: string): Promise<Watcher> {
  const client = new Client({ connectionString: url, application_name: 'watcher' })
  await client.connect()
  const ask = async (sql: string, ...values: readonly string[]) =>
    (await client.query<{ answer: string }>(sql, [...values])).rows.map(({ answer }) => answer)
  const pendingChanges = async () => Number((await ask('SELECT count(*) AS answer FROM pending_changes'))[0])
  return {
    pendingChanges,
    untilDrained: async (seconds) => {
      const deadline = performance.now() + seconds * 1000
      while ((await pendingChanges()) > 0) {
        if (performance.now() > deadline) return false
        await sleep(20)
      }
      return true
    },
    untilGone: async (name) => {
      const sql = 'SELECT pid AS answer FROM pg_stat_activity WHERE application_name = $1'
      while ((await ask(sql, name)).length > 0) await sleep(20)
    },
    openTransactions: (name) =>
      ask(
        `SELECT concat_ws(' ', pid, xact_start, state) AS answer FROM pg_stat_activity
         WHERE application_name = $1 AND xact_start IS NOT NULL`,
        name,
      ),
    find: (checks) => findFaults(client, checks),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** Without these settings a crash may lose committed data, and the trial would prove nothing. */
export const durableSettings: Check = {
  says: 'the database is not durable',
  sql: `SELECT name, setting FROM pg_settings
    WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting <> 'on'`,
}
