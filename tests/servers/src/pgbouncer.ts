import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort, serviceAccountIds, startServer } from './process.ts'

const program = '/usr/sbin/pgbouncer'

export interface PgBouncer extends AsyncDisposable {
  /** URL of the same database through the pooler. */
  through(url: string): string
  /** `kill -9`. */
  kill(): Promise<void>
  /** After `kill`: starts the pooler at the same address. */
  restart(): Promise<void>
}

/** Starts PgBouncer in transaction mode, with fewer server connections than a store opens. */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  if (!existsSync(program)) throw new Error('PgBouncer is not installed: apt-get install pgbouncer')
  const directory = mkdtempSync(join(tmpdir(), 'pergola-test-pgbouncer-'))
  const { hostname, port } = new URL(serverUrl)
  const ownPort = await freePort()
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
`,
  )
  const account = serviceAccountIds()
  if (account) chownSync(directory, account.uid, account.gid)
  let server = startServer([program, file])
  const through = (url: string) => {
    const own = new URL(url)
    own.port = String(ownPort)
    return own.href
  }
  const ready = () => untilReady(through(serverUrl), () => server.assertRunning())
  await ready()
  return {
    through,
    kill: () => server.kill(),
    restart: async () => {
      server = startServer([program, file])
      await ready()
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function untilReady(url: string, assertRunning: () => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    assertRunning()
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (tries === 100) throw error
      await sleep(50)
    }
  }
}
