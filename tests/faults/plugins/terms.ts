import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Step } from './steps-cluster.ts'

export interface Terms {
  /** Number of leaders so far. */
  readonly leads: number
  /** Number of status writes. */
  readonly writes: number
  /** Descriptions of status writes by former leaders. */
  readonly stale: readonly string[]
}

const batch = 5_000

/** Reads from the database who wrote what, in commit order. */
export async function readTerms(database: Client): Promise<Terms> {
  await untilInOrder(database)
  const last = new Map<string, string>()
  const terms = new Set<number>()
  const stale: string[] = []
  let [place, newest, writes] = [0, 0, 0]
  for (;;) {
    const { rows } = await database.query<{ revision: string; name: string; data: string }>(
      `SELECT o.revision, c.name, convert_from(c.data, 'UTF8') AS data
       FROM change_order o JOIN changes c USING (id) JOIN models m ON m.id = c.model
       WHERE o.revision > $1 AND m.group_name = 'steps.example.com' ORDER BY o.revision LIMIT $2`,
      [place, batch],
    )
    for (const { revision, name, data } of rows) {
      place = Number(revision)
      const status = statusIn(data)
      const text = JSON.stringify(status)
      if (status?.term === undefined || last.get(name) === text) continue
      last.set(name, text)
      writes++
      terms.add(status.term)
      if (status.term < newest)
        stale.push(`revision ${revision}: ${name} has a status of term ${status.term} after ${newest}`)
      newest = Math.max(newest, status.term)
    }
    if (rows.length < batch) return { leads: terms.size, writes, stale }
  }
}

/** The last changes, newest first. */
export async function newestStatuses(database: Client): Promise<readonly NonNullable<Step['status']>[]> {
  const { rows } = await database.query<{ data: string }>(
    `SELECT convert_from(c.data, 'UTF8') AS data FROM changes c JOIN models m ON m.id = c.model
     WHERE m.group_name = 'steps.example.com' ORDER BY c.id DESC LIMIT 200`,
  )
  return rows.flatMap(({ data }) => statusIn(data) ?? [])
}

/** The stored text is the end of the JSON, after the metadata that the server adds. */
function statusIn(data: string): Step['status'] {
  return (JSON.parse(`{"metadata":{"":0${data}`) as Step).status
}

async function untilInOrder(database: Client): Promise<void> {
  for (;;) {
    const { rows } = await database.query('SELECT FROM pending_changes LIMIT 1')
    if (rows.length === 0) return
    await sleep(100)
  }
}
