import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startNats, startPostgres, type NatsServer } from '@pergola/test-servers'
import { Client } from 'pg'
import { openPostgresStore } from '../../packages/server/src/store/postgres/postgres-store.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { ask, heard } from '../watch/reader-process.ts'
import type { FeedReport } from './feed-process.ts'

/** A database with a model, NATS, and the requested number of followers. */
export interface Installation extends AsyncDisposable {
  readonly nats: NatsServer
  readonly store: Store
  /** Inserts changes directly into the log; resolves when they are sequenced. */
  fill(count: number): Promise<void>
  newest(): Promise<number>
  /** `relay` only publishes the log. */
  start(what: 'relay' | 'replica'): Promise<Follower>
}

export interface Follower {
  readonly pid: number
  report(): Promise<FeedReport>
  signal(name: NodeJS.Signals): void
  /** Resolves when it has read this far. */
  until(isThere: (report: FeedReport) => boolean): Promise<FeedReport>
}

export const model = {
  group: 'bench.example.com',
  plural: 'people',
  indexes: [{ name: 'city' }, { name: 'age' }, { name: 'email' }, { name: 'tags', multi: true }],
}
const chunk = 8_000

export async function openInstallation(): Promise<Installation> {
  const stack = new AsyncDisposableStack()
  const nats = stack.use(await startNats())
  const server = stack.use(await startPostgres('18', { durable: true }))
  const { url } = stack.use(await createDatabase(server.url))
  const store = stack.use(await openPostgresStore({ url, onConnectionLost: () => {} }))
  await store.openModel(model)
  const client = new Client({ connectionString: url })
  await client.connect()
  stack.defer(() => client.end())
  const newest = async () => Number((await store.head()).split('.')[0])
  return {
    nats,
    store,
    newest,
    fill: async (count) => {
      for (let done = 0; done < count; done += chunk) {
        await client.query(fillSql, [done, Math.min(chunk, count - done)])
        while ((await client.query('SELECT FROM pending_changes LIMIT 1')).rowCount !== 0) await sleep(2)
      }
    },
    start: async (what) => {
      const child = fork(join(import.meta.dirname, 'feed-process.ts'), [url, nats.url, what], {
        execArgv: ['--conditions=@pergola/source'],
        stdio: 'inherit',
      })
      stack.defer(() => void child.kill('SIGKILL'))
      await heard(child)
      return followerOf(child)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function followerOf(child: ChildProcess): Follower {
  const report = () => ask<FeedReport>(child, {})
  return {
    pid: child.pid ?? 0,
    report,
    signal: (name) => child.kill(name),
    until: async (isThere) => {
      for (;;) {
        const found = await report()
        if (isThere(found)) return found
        await sleep(20)
      }
    },
  }
}

/** Changes of some 600 bytes, with realistic labels and indexed values. */
const fillSql = `
  WITH made AS (
    INSERT INTO changes (id, model, op, object_id, name, uid, version, generation, index_generation, stored_as, labels, sets, keys, data)
    SELECT nextval('change_id'), m.id, 'a', new_object_id(), 'p-' || n, gen_random_uuid(), 0, 1, m.generation, 'v1',
      '{"example.com/team": "team-1", "example.com/tier": "free", "example.com/zone": "z4"}',
      '{"4": ["tag-1", "tag-2", "tag-3"]}', ARRAY['city-7', 'a017', 'p@example.com'],
      convert_to('{"metadata":{"name":"p-' || n || '"},"spec":{"about":"' || repeat('x', 540) || '"}}', 'UTF8')
    FROM models m, generate_series($1::int, $1::int + $2::int - 1) n WHERE m.plural = 'people'
    RETURNING id, model
  ) INSERT INTO pending_changes (id, model) SELECT id, model FROM made`
